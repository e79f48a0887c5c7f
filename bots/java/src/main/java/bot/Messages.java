package bot;

import com.google.gson.FieldNamingPolicy;
import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonElement;
import com.google.gson.reflect.TypeToken;
import java.util.List;

/**
 * The messages of protocol 1, read and written. Fields that are not listed may come and are
 * ignored; what is optional and absent is null, or an empty list.
 */
public final class Messages {
  private static final Gson GSON =
      new GsonBuilder()
          .setFieldNamingPolicy(FieldNamingPolicy.LOWER_CASE_WITH_UNDERSCORES)
          .disableHtmlEscaping()
          .create();

  private Messages() {}

  /** What has to be known of a line before it can be read. */
  private record Outline(String type, JsonElement variant) {}

  /** The message in a line of the referee's; null if its type is not known. */
  public static ToBot read(String line) {
    Outline outline = GSON.fromJson(line, Outline.class);
    return switch (outline.type == null ? "" : outline.type) {
      case "hello" -> GSON.fromJson(line, Hello.class);
      case "start" -> GSON.fromJson(line, Start.class);
      case "decide" -> GSON.fromJson(line, question(outline.variant.getAsString()));
      case "result" -> GSON.fromJson(line, Result.class);
      case "fault" -> GSON.fromJson(line, Fault.class);
      default -> null;
    };
  }

  /** A message as a line. */
  public static String line(FromBot message) {
    return GSON.toJson(message) + "\n";
  }

  /** A question, with the view that its variant has. */
  private static TypeToken<? extends Decide<?>> question(String variant) {
    return switch (variant.split("\\+", 2)[0]) {
      case "sticheln", "stick-em" -> new TypeToken<Decide<DesignatingView>>() {};
      case "hat-trick" -> new TypeToken<Decide<HatTrickView>>() {};
      case "was-sticht" -> new TypeToken<Decide<DraftView>>() {};
      default -> new TypeToken<Decide<Object>>() {};
    };
  }

  private static <T> List<T> orEmpty(List<T> list) {
    return list == null ? List.of() : list;
  }

  /** What the referee says. */
  public sealed interface ToBot {}

  /** What a bot says. */
  public sealed interface FromBot {}

  /** What a seat may know; this is what all three views have in common. */
  public sealed interface View {
    /** The bot's own seat. */
    int seat();

    /** The phase of the round, which is the {@code kind} of the question. */
    String phase();

    /** The round, counted from 0. */
    int round();

    /** The score of each seat. */
    List<Integer> scores();

    /** The cards in the seat's own hand. */
    List<String> hand();

    /** The seat that leads the trick. */
    int leader();

    /** The cards of the trick in the order of play. */
    List<String> trick();
  }

  /**
   * The referee's first line to a process that has just started.
   *
   * @param type which message it is
   * @param protocol the version of the protocol spoken; this is 1
   * @param line the longest line a bot may send, in bytes, its newline included
   * @param games the most games a bot will be asked about at once, whatever it offers
   * @param limits the time a bot has; null: no clock runs
   */
  public record Hello(String type, int protocol, int line, int games, Limits limits)
      implements ToBot {}

  /**
   * A game begins, or begins again for a process that takes over from one that ended.
   *
   * @param type which message it is
   * @param game stands for this game in all messages to this process
   * @param variant the rules played, such as {@code sticheln+mild}
   * @param seats how many sit at the table
   * @param seat where the bot sits; seats are numbered clockwise from 0
   * @param rounds how many rounds are played; null: until somebody has finished
   * @param cards all cards there are in this game
   * @param seed for the bot's own chance, if it wants its games repeatable; tells nothing about the
   *     deal
   * @param bots who sits where; absent where the opponents are anonymous
   */
  public record Start(
      String type,
      long game,
      String variant,
      int seats,
      int seat,
      Integer rounds,
      List<String> cards,
      long seed,
      List<String> bots)
      implements ToBot {}

  /**
   * A question, with everything the seat may know.
   *
   * @param <V> which view it is; anything if the variant is not known
   * @param type which message it is
   * @param game the game it is about
   * @param id to be echoed in the answer
   * @param variant the rules played, as in {@code start}
   * @param kind what is to be decided: {@code designate}, {@code play}, {@code delayed}, {@code
   *     token}, {@code pick}, {@code task}, {@code discard}
   * @param options the legal choices
   * @param view what the seat may know: one of three views, by the variant
   * @param clock the time there is; null: no clock runs
   */
  public record Decide<V>(
      String type,
      long game,
      long id,
      String variant,
      String kind,
      List<String> options,
      V view,
      Clock clock)
      implements ToBot {}

  /**
   * A game is over.
   *
   * @param type which message it is
   * @param game the game it is about
   * @param scores the score of each seat
   * @param ranks the rank of each seat, 1 is best; who is at fault ranks below all others
   */
  public record Result(String type, long game, List<Integer> scores, List<Integer> ranks)
      implements ToBot {}

  /**
   * The bot broke the protocol; the referee has chosen for it where a choice was due.
   *
   * @param type which message it is
   * @param game the game it counts in; null: none that is going on
   * @param id the question that is settled by it; null: none was open
   * @param fault what it is called
   * @param text what was wrong, for a person to read
   */
  public record Fault(String type, Long game, Long id, String fault, String text)
      implements ToBot {}

  /**
   * A bot's first line: it can play.
   *
   * @param type which message it is
   * @param name what the bot calls itself
   * @param version which one of its kind it is
   * @param games how many games it can hold at once
   * @param variants the variants it plays, as names or patterns such as {@code sticheln*}; absent:
   *     all
   */
  public record Ready(
      String type, String name, String version, Integer games, List<String> variants)
      implements FromBot {}

  /**
   * A bot's answer.
   *
   * @param type which message it is
   * @param id the question it answers
   * @param choice one of its options
   * @param note something to find in the replay beside this decision; 1,000 characters are kept
   */
  public record Choose(String type, long id, String choice, String note) implements FromBot {}

  /**
   * The time a bot has, in seconds. {@code start}, {@code move} and {@code bank} are CPU time of
   * the whole process tree; {@code wall} is real time.
   *
   * @param start from the launch to {@code ready}
   * @param move for each decision
   * @param bank for each game: it pays for what goes over {@code move}
   * @param wall however little CPU time it takes, no answer takes longer, and no start if that has
   *     less
   */
  public record Limits(double start, double move, double bank, double wall) {}

  /**
   * The CPU time there is for one decision, in seconds.
   *
   * @param move for this decision alone
   * @param bank what is left for this game beyond {@code move}
   */
  public record Clock(double move, double bank) {}

  /**
   * What a seat knows in Sticheln, Stick 'Em and all their variants.
   *
   * @param seat whose view it is: the bot's own seat
   * @param phase the phase of the round, which is the {@code kind} of the question
   * @param round the round, counted from 0
   * @param scores the points of each seat in the finished rounds
   * @param hand the cards in the seat's own hand
   * @param leader the seat that leads the trick on the table
   * @param trick the cards of the trick on the table in the order of play; the first is the
   *     leader's
   * @param tricks the finished tricks of this round, the first one first
   * @param leftOver the cards of this round that could not be dealt evenly; absent: none
   * @param designated the designating cards of each seat, null where they lie face down; absent
   *     while there are none
   * @param previous the round before, until the first trick of this one is complete; absent: none
   */
  public record DesignatingView(
      int seat,
      String phase,
      int round,
      List<Integer> scores,
      List<String> hand,
      int leader,
      List<String> trick,
      List<Trick> tricks,
      List<String> leftOver,
      List<List<String>> designated,
      DesignatingPast previous)
      implements View {
    public DesignatingView {
      leftOver = orEmpty(leftOver);
      designated = orEmpty(designated);
    }
  }

  /**
   * The round before this one: all that lay face up at its end.
   *
   * @param tricks its tricks, the first one first
   * @param points what each seat scored in it
   * @param designated the designating cards of each seat; absent if there were none
   * @param special the special colours of each seat
   */
  public record DesignatingPast(
      List<Trick> tricks,
      List<Integer> points,
      List<List<String>> designated,
      List<List<String>> special) {
    public DesignatingPast {
      designated = orEmpty(designated);
      special = orEmpty(special);
    }
  }

  /**
   * A finished trick: the cards in the order of play, and the seat that won it, if any did.
   *
   * @param leader the seat that led it
   * @param cards the cards in the order of play; the first is the leader's
   * @param winner the seat that won it; null: nobody, it is set aside
   */
  public record Trick(int leader, List<String> cards, Integer winner) {}

  /**
   * What a seat knows in Hat Trick.
   *
   * @param seat whose view it is: the bot's own seat
   * @param phase the phase of the round, which is the {@code kind} of the question
   * @param round the round, counted from 0
   * @param scores the points of each seat in the finished rounds
   * @param hand the cards in the seat's own hand
   * @param leader the seat that leads the trick on the table
   * @param trick the cards of the trick on the table in the order of play; the first is the
   *     leader's
   * @param tricks the finished tricks of this round, the first one first
   * @param leftOver absent: in Hat Trick all cards are dealt
   * @param designated absent: in Hat Trick nothing is designated
   * @param previous the round before, until the first trick of this one is complete; absent: none
   */
  public record HatTrickView(
      int seat,
      String phase,
      int round,
      List<Integer> scores,
      List<String> hand,
      int leader,
      List<String> trick,
      List<DoubleTrick> tricks,
      List<String> leftOver,
      List<List<String>> designated,
      HatTrickPast previous)
      implements View {
    public HatTrickView {
      leftOver = orEmpty(leftOver);
      designated = orEmpty(designated);
    }
  }

  /**
   * The round before this one: all that lay face up at its end.
   *
   * @param tricks its tricks, the first one first
   * @param points what each seat scored in it
   * @param designated absent: in Hat Trick nothing is designated
   * @param special absent: in Hat Trick no colour is special
   */
  public record HatTrickPast(
      List<DoubleTrick> tricks,
      List<Integer> points,
      List<List<String>> designated,
      List<List<String>> special) {
    public HatTrickPast {
      designated = orEmpty(designated);
      special = orEmpty(special);
    }
  }

  /**
   * A finished trick or pair of tricks: the cards in the order of play, and who took each.
   *
   * @param leader the seat that led it
   * @param cards the cards in the order of play; the first is the leader's
   * @param takers the seat that took each card, in the order of {@code cards}; null for a card that
   *     was passed and stays with its owner
   */
  public record DoubleTrick(int leader, List<String> cards, List<Integer> takers) {}

  /**
   * What a seat knows in Was sticht: everything but the trumps during the draft.
   *
   * @param seat whose view it is: the bot's own seat
   * @param phase the phase of the round, which is the {@code kind} of the question
   * @param round the round, counted from 0
   * @param scores how many tokens each seat has discarded
   * @param dealer the seat that deals, and knows the trumps from the start
   * @param tokens the tokens each seat holds
   * @param discarded the tokens each seat has discarded, the first one first
   * @param supply the tokens on the table while they are taken, later none
   * @param columns the layout of this round, column by column, as it was before any pick
   * @param picks the columns that are completely picked, the first one first
   * @param trumps the trumps of this round; null while this seat does not know them
   * @param tasks the task each seat has chosen, null for the dealer; empty until all have chosen
   * @param hand the cards in the seat's own hand
   * @param hands the cards in the hand of each seat, which are public
   * @param leader the seat that leads the trick, or picks first from the column
   * @param trick the cards of the trick in the order of play, or of the column as picked
   * @param tricks the finished tricks of this round, the first one first
   * @param previous the round before, until the first column of this one is picked
   */
  public record DraftView(
      int seat,
      String phase,
      int round,
      List<Integer> scores,
      int dealer,
      List<List<String>> tokens,
      List<List<String>> discarded,
      List<String> supply,
      List<List<String>> columns,
      List<Column> picks,
      Trumps trumps,
      List<String> tasks,
      List<String> hand,
      List<List<String>> hands,
      int leader,
      List<String> trick,
      List<Trick> tricks,
      DraftPast previous)
      implements View {}

  /**
   * The round before this one: all that lay face up at its end.
   *
   * @param trumps its trumps
   * @param tasks the task each seat had chosen, null for its dealer
   * @param tricks its tricks, the first one first
   * @param discards the token each seat discarded in it, null for none
   */
  public record DraftPast(
      Trumps trumps, List<String> tasks, List<Trick> tricks, List<String> discards) {}

  /**
   * The trump colour and the trump number of a round; null where there is none.
   *
   * @param colour the trump colour; null: there is none
   * @param number the trump number; null: there is none
   */
  public record Trumps(String colour, Integer number) {}

  /**
   * A column in the order of picking, and who the dealer says would have won it as a trick. With
   * three players the last card is the ghost's, whose seat is the one after the last, 3.
   *
   * @param leader the seat that picked first
   * @param cards its cards in the order of picking; with three seats the last is the ghost's
   * @param hint the seat that would have won it as a trick; with three seats 3 is the ghost
   */
  public record Column(int leader, List<String> cards, int hint) {}
}
