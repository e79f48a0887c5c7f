package bot;

import bot.Messages.Decide;
import bot.Messages.DesignatingView;
import bot.Messages.DraftView;
import bot.Messages.HatTrickView;
import bot.Messages.Result;
import bot.Messages.Start;
import bot.Messages.Trick;
import bot.Messages.View;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.ToIntFunction;

/**
 * Your strategy: one method for each kind of decision.
 *
 * <p>Each takes a question and returns one of its options, or an option and a note for the replay:
 * {@code new Choice(card, "to lose the lead")}. A question holds everything that your seat may
 * know, so there is nothing to remember from one to the next. This is why one process can play 64
 * games at once: their questions just follow one another.
 */
final class Strategy {
  private Strategy() {}

  /**
   * What you choose.
   *
   * @param option one of the question's options
   * @param note to be found beside it in the replay; null for none
   */
  record Choice(String option, String note) {
    Choice(String option) {
      this(option, null);
    }
  }

  /** A game begins. What you want to remember of it, keep by its {@code game}. */
  static void start(Start start) {}

  /** A game has ended, unless you lost it by a fault. */
  static void result(Result result) {}

  /**
   * Sticheln, Stick 'Em: the card, or pair {@code B3+R1}, that makes its colour special for you.
   * The card counts as won by you, so it is a low one, or with Reverse a high one.
   */
  static Choice designate(Decide<?> question, DesignatingView view) {
    return new Choice(best(question, option -> total(List.of(option.split("\\+")))));
  }

  /** All games: the card you play to the trick. A low one seldom does harm. */
  static Choice play(Decide<?> question, View view) {
    if (view instanceof HatTrickView) {
      Set<String> colours = new HashSet<>();
      view.trick().forEach(card -> colours.add(colour(card)));
      List<String> joining = new ArrayList<>(question.options());
      joining.removeIf(card -> !colours.contains(colour(card)));
      // A card of a third colour would be a pass and cost 2 points.
      if (colours.size() == 2 && !joining.isEmpty()) {
        return new Choice(lowest(joining, Strategy::number));
      }
    }
    return new Choice(lowest(question.options(), Strategy::number));
  }

  /** With Delayed: the special colour, or pair {@code B+R}, that you name after the last trick. */
  static Choice delayed(Decide<?> question, DesignatingView view) {
    List<String> won = new ArrayList<>();
    for (Trick trick : view.tricks()) {
      if (trick.winner() != null && trick.winner() == view.seat()) {
        won.addAll(trick.cards());
      }
    }
    return new Choice(
        best(
            question,
            option -> total(won.stream().filter(card -> option.contains(colour(card))).toList())));
  }

  /** Was sticht: the task token you take before the first round. */
  static Choice token(Decide<?> question, DraftView view) {
    return new Choice(lowest(question.options(), Strategy::difficulty));
  }

  /** Was sticht: the card you take from the column. */
  static Choice pick(Decide<?> question, DraftView view) {
    return new Choice(lowest(question.options(), Strategy::number));
  }

  /** Was sticht: the task among your tokens that you try in this round. */
  static Choice task(Decide<?> question, DraftView view) {
    return new Choice(lowest(question.options(), Strategy::difficulty));
  }

  /** Was sticht: the token you get rid of as a dealer who succeeded. */
  static Choice discard(Decide<?> question, DraftView view) {
    return new Choice(highest(question.options(), Strategy::difficulty));
  }

  private static String colour(String card) {
    return card.substring(0, 1);
  }

  private static int number(String card) {
    return Integer.parseInt(card.substring(1));
  }

  private static int total(List<String> cards) {
    int sum = 0;
    for (String card : cards) {
      sum += number(card);
    }
    return sum;
  }

  /** The tasks of Was sticht, by how often one fulfils them. */
  private static final List<String> EASY_FIRST =
      List.of(
          "no_red",
          "no_blue",
          "no_green",
          "no_yellow",
          "last_trick",
          "exactly_2",
          "fewest_tricks",
          "exactly_3",
          "most_tricks",
          "exactly_1",
          "exactly_4",
          "no_trick");

  private static int difficulty(String task) {
    return EASY_FIRST.indexOf(task);
  }

  /** The option for which the key gives least; of equal ones the first. */
  private static String lowest(List<String> options, ToIntFunction<String> key) {
    String found = options.get(0);
    for (String option : options) {
      if (key.applyAsInt(option) < key.applyAsInt(found)) {
        found = option;
      }
    }
    return found;
  }

  /** The option for which the key gives most; of equal ones the first. */
  private static String highest(List<String> options, ToIntFunction<String> key) {
    return lowest(options, option -> -key.applyAsInt(option));
  }

  /** Special colours cost what they are worth; with Reverse they bring it. */
  private static String best(Decide<?> question, ToIntFunction<String> worth) {
    return question.variant().contains("reverse")
        ? highest(question.options(), worth)
        : lowest(question.options(), worth);
  }
}
