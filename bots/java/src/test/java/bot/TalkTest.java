package bot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.google.gson.JsonPrimitive;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Replays the transcripts: the bot hears what the referee said and answers what it has to. */
class TalkTest {
  @ParameterizedTest
  @ValueSource(strings = {"three-seats-no-clock", "three-seats", "two-games-at-once"})
  void answersWhatItIsAsked(String name) throws IOException {
    boolean asked = false;
    for (String line : Files.readAllLines(Path.of("transcripts", name + ".jsonl"))) {
      JsonObject said = JsonParser.parseString(line).getAsJsonObject();
      if (said.get("to").getAsString().equals("bot")) {
        JsonObject message = said.getAsJsonObject("message");
        check(message, Talk.hear(message.toString()));
        asked |= message.has("options");
      }
    }
    assertTrue(asked);
  }

  /** Exactly hello and decide are answered, with the question's id and one of its options. */
  private static void check(JsonObject message, String answer) {
    switch (message.get("type").getAsString()) {
      case "hello" -> {
        assertTrue(answer.endsWith("}\n"));
        JsonObject ready = JsonParser.parseString(answer).getAsJsonObject();
        assertEquals("ready", ready.get("type").getAsString());
        assertTrue(!ready.has("games") || ready.get("games").getAsInt() > 0);
      }
      case "decide" -> {
        assertTrue(answer.endsWith("}\n"));
        JsonObject choose = JsonParser.parseString(answer).getAsJsonObject();
        assertEquals("choose", choose.get("type").getAsString());
        assertEquals(message.get("id"), choose.get("id"));
        JsonPrimitive choice = choose.getAsJsonPrimitive("choice");
        assertTrue(
            message.getAsJsonArray("options").contains(choice), () -> choice + " of " + message);
      }
      default -> assertEquals("", answer);
    }
  }
}
