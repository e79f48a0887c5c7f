# The messages of protocol 1, read and written; what is in them is told below.
package Messages;
use strict;
use warnings;
use JSON::PP ();

my $json = JSON::PP->new->utf8->allow_nonref;

# A line of the referee's.
sub decode { return $json->decode( $_[0] ) }

# The line that says: it can play, so many games at once.
sub ready { return sprintf qq({"type":"ready","games":%d}\n), @_ }

# The line that answers the question of an id, with or without a note.
sub choose {
    my ( $id, $choice, $note ) = @_;
    my $said = $json->encode($choice);
    $said .= ',"note":' . $json->encode("$note") if defined $note;
    return sprintf qq({"type":"choose","id":%d,"choice":%s}\n), $id, $said;
}

1;

__END__

=encoding utf8

=head1 NAME

Messages - what the referee and a bot say

=head1 DESCRIPTION

Messages are hashes; C<null> is C<undef>. Fields that are not listed may come and are ignored. The
referee says Hello, Start, Decide, Result and Fault, the bot Ready and Choose.

=head2 Hello

The referee's first line to a process that has just started.

    type      "hello": Which message it is.
    protocol  integer: The version of the protocol spoken; this is 1.
    line      integer: The longest line a bot may send, in bytes, its newline included.
    games     integer: The most games a bot will be asked about at once, whatever it offers.
    limits    Limits or null: The time a bot has; null: no clock runs.

=head2 Start

A game begins, or begins again for a process that takes over from one that ended.

    type     "start": Which message it is.
    game     integer: Stands for this game in all messages to this process.
    variant  string: The rules played, such as `sticheln+mild`.
    seats    integer: How many sit at the table.
    seat     integer: Where the bot sits; seats are numbered clockwise from 0.
    rounds   integer or null: How many rounds are played; null: until somebody has finished.
    cards    list of strings: All cards there are in this game.
    seed     integer: For the bot's own chance, if it wants its games repeatable; tells nothing
             about the deal.
    bots     list of strings or null, optional: Who sits where; absent where the opponents are
             anonymous.

=head2 Decide

A question, with everything the seat may know.

    type     "decide": Which message it is.
    game     integer: The game it is about.
    id       integer: To be echoed in the answer.
    variant  string: The rules played, as in `start`.
    kind     string: What is to be decided: `designate`, `play`, `delayed`, `token`, `pick`,
             `task`, `discard`.
    options  list of strings: The legal choices.
    view     DesignatingView or HatTrickView or DraftView: What the seat may know: one of three
             views, by the variant.
    clock    Clock or null: The time there is; null: no clock runs.

=head2 Result

A game is over.

    type    "result": Which message it is.
    game    integer: The game it is about.
    scores  list of integers: The score of each seat.
    ranks   list of integers: The rank of each seat, 1 is best; who is at fault ranks below all
            others.

=head2 Fault

The bot broke the protocol; the referee has chosen for it where a choice was due.

    type   "fault": Which message it is.
    game   integer or null: The game it counts in; null: none that is going on.
    id     integer or null: The question that is settled by it; null: none was open.
    fault  exited or illegal or malformed or memory or out-of-turn or start or timeout or
           too-long: What it is called.
    text   string: What was wrong, for a person to read.

=head2 Ready

A bot's first line: it can play.

    type      "ready": Which message it is.
    name      string, optional: What the bot calls itself.
    version   string, optional: Which one of its kind it is.
    games     integer, optional: How many games it can hold at once.
    variants  list of strings or null, optional: The variants it plays, as names or patterns such
              as `sticheln*`; absent: all.

=head2 Choose

A bot's answer.

    type    "choose": Which message it is.
    id      integer: The question it answers.
    choice  string: One of its options.
    note    string or null, optional: Something to find in the replay beside this decision; 1,000
            characters are kept.

=head2 Limits

The time a bot has, in seconds. `start`, `move` and `bank` are CPU time of the whole process tree;
`wall` is real time.

    start  number: From the launch to `ready`.
    move   number: For each decision.
    bank   number: For each game: it pays for what goes over `move`.
    wall   number: However little CPU time it takes, no answer takes longer, and no start if that
           has less.

=head2 Clock

The CPU time there is for one decision, in seconds.

    move  number: For this decision alone.
    bank  number: What is left for this game beyond `move`.

=head2 DesignatingView

What a seat knows in Sticheln, Stick 'Em and all their variants.

    seat        integer: Whose view it is: the bot's own seat.
    phase       string: The phase of the round, which is the `kind` of the question.
    round       integer: The round, counted from 0.
    scores      list of integers: The points of each seat in the finished rounds.
    hand        list of strings: The cards in the seat's own hand.
    leader      integer: The seat that leads the trick on the table.
    trick       list of strings: The cards of the trick on the table in the order of play; the
                first is the leader's.
    tricks      list of Trick: The finished tricks of this round, the first one first.
    left_over   list of strings, optional: The cards of this round that could not be dealt evenly;
                absent: none.
    designated  list of (list of strings or null), optional: The designating cards of each seat,
                null where they lie face down; absent while there are none.
    previous    DesignatingPast or null, optional: The round before, until the first trick of this
                one is complete; absent: none.

=head2 DesignatingPast

The round before this one: all that lay face up at its end.

    tricks      list of Trick: Its tricks, the first one first.
    points      list of integers: What each seat scored in it.
    designated  list of lists of strings, optional: The designating cards of each seat; absent if
                there were none.
    special     list of lists of strings, optional: The special colours of each seat.

=head2 Trick

A finished trick: the cards in the order of play, and the seat that won it, if any did.

    leader  integer: The seat that led it.
    cards   list of strings: The cards in the order of play; the first is the leader's.
    winner  integer or null: The seat that won it; null: nobody, it is set aside.

=head2 HatTrickView

What a seat knows in Hat Trick.

    seat        integer: Whose view it is: the bot's own seat.
    phase       string: The phase of the round, which is the `kind` of the question.
    round       integer: The round, counted from 0.
    scores      list of integers: The points of each seat in the finished rounds.
    hand        list of strings: The cards in the seat's own hand.
    leader      integer: The seat that leads the trick on the table.
    trick       list of strings: The cards of the trick on the table in the order of play; the
                first is the leader's.
    tricks      list of DoubleTrick: The finished tricks of this round, the first one first.
    left_over   list of strings, optional: Absent: in Hat Trick all cards are dealt.
    designated  list of (list of strings or null), optional: Absent: in Hat Trick nothing is
                designated.
    previous    HatTrickPast or null, optional: The round before, until the first trick of this
                one is complete; absent: none.

=head2 HatTrickPast

The round before this one: all that lay face up at its end.

    tricks      list of DoubleTrick: Its tricks, the first one first.
    points      list of integers: What each seat scored in it.
    designated  list of lists of strings, optional: Absent: in Hat Trick nothing is designated.
    special     list of lists of strings, optional: Absent: in Hat Trick no colour is special.

=head2 DoubleTrick

A finished trick or pair of tricks: the cards in the order of play, and who took each.

    leader  integer: The seat that led it.
    cards   list of strings: The cards in the order of play; the first is the leader's.
    takers  list of (integer or null): The seat that took each card, in the order of `cards`; null
            for a card that was passed and stays with its owner.

=head2 DraftView

What a seat knows in Was sticht: everything but the trumps during the draft.

    seat       integer: Whose view it is: the bot's own seat.
    phase      string: The phase of the round, which is the `kind` of the question.
    round      integer: The round, counted from 0.
    scores     list of integers: How many tokens each seat has discarded.
    dealer     integer: The seat that deals, and knows the trumps from the start.
    tokens     list of lists of strings: The tokens each seat holds.
    discarded  list of lists of strings: The tokens each seat has discarded, the first one first.
    supply     list of strings: The tokens on the table while they are taken, later none.
    columns    list of lists of strings: The layout of this round, column by column, as it was
               before any pick.
    picks      list of Column: The columns that are completely picked, the first one first.
    trumps     Trumps or null: The trumps of this round; null while this seat does not know them.
    tasks      list of (string or null): The task each seat has chosen, null for the dealer; empty
               until all have chosen.
    hand       list of strings: The cards in the seat's own hand.
    hands      list of lists of strings: The cards in the hand of each seat, which are public.
    leader     integer: The seat that leads the trick, or picks first from the column.
    trick      list of strings: The cards of the trick in the order of play, or of the column as
               picked.
    tricks     list of Trick: The finished tricks of this round, the first one first.
    previous   DraftPast or null: The round before, until the first column of this one is picked.

=head2 DraftPast

The round before this one: all that lay face up at its end.

    trumps    Trumps: Its trumps.
    tasks     list of (string or null): The task each seat had chosen, null for its dealer.
    tricks    list of Trick: Its tricks, the first one first.
    discards  list of (string or null): The token each seat discarded in it, null for none.

=head2 Trumps

The trump colour and the trump number of a round; null where there is none.

    colour  string or null: The trump colour; null: there is none.
    number  integer or null: The trump number; null: there is none.

=head2 Column

A column in the order of picking, and who the dealer says would have won it as a trick. With three
players the last card is the ghost's, whose seat is the one after the last, 3.

    leader  integer: The seat that picked first.
    cards   list of strings: Its cards in the order of picking; with three seats the last is the
            ghost's.
    hint    integer: The seat that would have won it as a trick; with three seats 3 is the ghost.

=cut
