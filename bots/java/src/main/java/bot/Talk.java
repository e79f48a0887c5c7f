package bot;

import static java.nio.charset.StandardCharsets.UTF_8;

import bot.Messages.Choose;
import bot.Messages.Decide;
import bot.Messages.DesignatingView;
import bot.Messages.DraftView;
import bot.Messages.Fault;
import bot.Messages.Hello;
import bot.Messages.Ready;
import bot.Messages.Result;
import bot.Messages.Start;
import bot.Messages.ToBot;
import bot.Messages.View;
import bot.Strategy.Choice;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Arrays;

/** The talk with the referee: lines in, lines out. The decisions are made in {@link Strategy}. */
public final class Talk {
  /** How many games it can hold at once. */
  private static final int GAMES = 64;

  /** Nanoseconds after which answers are sent, even if more questions lie ready. */
  private static final long PATIENCE = 10_000_000;

  private final InputStream in;
  private final OutputStream out;
  private final StringBuilder answers = new StringBuilder();

  public Talk(InputStream in, OutputStream out) {
    this.in = in;
    this.out = out;
  }

  /** Answers all questions there are, waits for more, and returns when the referee hangs up. */
  public void run() throws IOException {
    byte[] input = new byte[1 << 16];
    int kept = 0;
    int read;
    while ((read = in.read(input, kept, input.length - kept)) >= 0) {
      int end = kept + read;
      int heard = hearAll(input, end);
      kept = end - heard;
      System.arraycopy(input, heard, input, 0, kept);
      if (kept == input.length) {
        input = Arrays.copyOf(input, 2 * kept);
      }
    }
  }

  /** Answers the lines that are complete; how many bytes they are. */
  private int hearAll(byte[] input, int end) throws IOException {
    long begun = System.nanoTime();
    int begin = 0;
    for (int place = 0; place < end; place++) {
      if (input[place] != '\n') {
        continue;
      }
      answers.append(hear(new String(input, begin, place - begin, UTF_8)));
      begin = place + 1;
      // One write for many answers is fast. But the clock runs until an answer is sent, so none is
      // kept back while you think about the next question.
      if (System.nanoTime() - begun > PATIENCE) {
        send();
        begun = System.nanoTime();
      }
    }
    send();
    return begin;
  }

  private void send() throws IOException {
    out.write(answers.toString().getBytes(UTF_8));
    out.flush();
    answers.setLength(0);
  }

  /** The line that answers a line, or nothing; what is not known is ignored. */
  static String hear(String line) {
    ToBot message = Messages.read(line);
    if (message instanceof Hello) {
      return Messages.line(new Ready("ready", null, null, GAMES, null));
    }
    if (message instanceof Decide<?> question) {
      Choice choice = choose(question);
      return Messages.line(new Choose("choose", question.id(), choice.option(), choice.note()));
    }
    if (message instanceof Start start) {
      Strategy.start(start);
    }
    if (message instanceof Result result) {
      Strategy.result(result);
    }
    if (message instanceof Fault fault) {
      System.err.println("The referee says: " + fault.text());
    }
    return "";
  }

  /** Asks the method for the kind of decision, which also says what view there is. */
  private static Choice choose(Decide<?> question) {
    if (!(question.view() instanceof View)) {
      return new Choice(question.options().get(0));
    }
    return switch (question.kind()) {
      case "designate" -> Strategy.designate(question, (DesignatingView) question.view());
      case "play" -> Strategy.play(question, (View) question.view());
      case "delayed" -> Strategy.delayed(question, (DesignatingView) question.view());
      case "token" -> Strategy.token(question, (DraftView) question.view());
      case "pick" -> Strategy.pick(question, (DraftView) question.view());
      case "task" -> Strategy.task(question, (DraftView) question.view());
      case "discard" -> Strategy.discard(question, (DraftView) question.view());
      default -> new Choice(question.options().get(0));
    };
  }
}
