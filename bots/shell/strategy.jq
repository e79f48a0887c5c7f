# Your strategy: one function for each kind of decision.
#
# Each takes a question as its input and gives one of its options; or {choice, note}, and the note
# stands beside the choice in the replay. A question holds everything that your seat may know (see
# Decide in messages.jq), so there is nothing to remember from one to the next. This is why one
# process can play 64 games at once: their questions just follow one another.

def colour: .[0:1];
def number: .[1:] | tonumber;
def total: map(number) | add // 0;

# The tasks of Was sticht, by how often one fulfils them.
def difficulty:
  {
    no_red: 0,
    no_blue: 1,
    no_green: 2,
    no_yellow: 3,
    last_trick: 4,
    exactly_2: 5,
    fewest_tricks: 6,
    exactly_3: 7,
    most_tricks: 8,
    exactly_1: 9,
    exactly_4: 10,
    no_trick: 11
  }[.];

# The option for which the key gives least; of equal ones the first.
def lowest(key): min_by(key);

# The option for which the key gives most; of equal ones the first, where max_by takes the last.
def highest(key): min_by(-key);

# Special colours cost what they are worth; with Reverse they bring it.
def best($variant; worth):
  if $variant | contains("reverse") then highest(worth) else lowest(worth) end;

# Sticheln, Stick 'Em: the card, or pair "B3+R1", that makes its colour special for you. The card
# counts as won by you, so it is a low one, or with Reverse a high one.
def designate: .variant as $variant | .options | best($variant; split("+") | total);

# All games: the card you play to the trick. A low one seldom does harm.
def play:
  .options as $options
  | if .variant == "hat-trick" then
      (.view.trick | map(colour) | unique) as $colours
      | ($options | map(select([colour] | inside($colours)))) as $joining
      # A card of a third colour would be a pass and cost 2 points.
      | if ($colours | length) == 2 and $joining != [] then $joining else $options end
    else $options
    end
  | lowest(number);

# With Delayed: the special colour, or pair "B+R", that you name after the last trick.
def delayed:
  .variant as $variant
  | .view.seat as $seat
  | [.view.tricks[] | select(.winner == $seat) | .cards[]] as $won
  | .options
  | best($variant; split("+") as $colours | $won | map(select([colour] | inside($colours))) | total);

# Was sticht: the task token you take before the first round.
def token: .options | lowest(difficulty);

# Was sticht: the card you take from the column.
def pick: .options | lowest(number);

# Was sticht: the task among your tokens that you try in this round.
def task: .options | lowest(difficulty);

# Was sticht: the token you get rid of as a dealer who succeeded.
def discard: .options | highest(difficulty);
