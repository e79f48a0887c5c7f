#!/bin/sh
# Replays the transcripts: the bot hears what the referee said and answers what it has to.
#
# Exactly `hello` and `decide` are answered, with the question's id and one of its options.

cd "$(dirname "$0")" || exit
status=0
for transcript in transcripts/*.jsonl; do
  if jq --compact-output 'select(.to == "bot").message' "$transcript" | sh bot.sh |
    jq --exit-status --null-input --slurpfile said "$transcript" '
      [inputs] as $answers
      | [$said[] | select(.to == "bot").message | select(.type == "hello" or .type == "decide")]
      | any(.type == "decide")
        and length == ($answers | length)
        and all(
          [., $answers] | transpose[];
          . as [$message, $answer]
          | if $message.type == "hello" then $answer.type == "ready" and ($answer.games // 1) > 0
            else $answer.type == "choose"
              and $answer.id == $message.id
              and any($message.options[]; . == $answer.choice)
            end
        )' >/dev/null; then
    echo "ok     $transcript"
  else
    echo "not ok $transcript"
    status=1
  fi
done
exit $status
