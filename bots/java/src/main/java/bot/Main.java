package bot;

import java.io.IOException;

/** A bot for Stichkampf: the referee asks on stdin, the answers go to stdout, stderr is its log. */
public final class Main {
  private Main() {}

  public static void main(String[] args) throws IOException {
    new Talk(System.in, System.out).run();
  }
}
