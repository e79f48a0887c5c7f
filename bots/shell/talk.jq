# The talk with the referee: messages in, messages out. The decisions are made in strategy.jq.

include "strategy";

# The strategy's choice for a question; of a kind it does not know, the first option.
def choose:
  if .kind == "designate" then designate
  elif .kind == "play" then play
  elif .kind == "delayed" then delayed
  elif .kind == "token" then token
  elif .kind == "pick" then pick
  elif .kind == "task" then task
  elif .kind == "discard" then discard
  else .options[0]
  end;

# The answer to a message, or nothing; what is not known is ignored.
def hear:
  if .type == "hello" then {type: "ready", games: 64}
  # A sum is a whole number however the id was spelt; later versions of jq keep 7.0 as it is.
  elif .type == "decide" then
    {type: "choose", id: (.id + 0)} + (choose | if type == "object" then . else {choice: .} end)
  elif .type == "fault" then "The referee says: \(.text)" | debug | empty
  else empty # "start" and "result" tell when a game begins and how it ended, but jq keeps nothing
  end;
