# A bot for Stichkampf: one file, nothing but what comes with Perl.
#
# The referee starts this program and asks it questions on STDIN, one JSON object a line. The
# answers go to STDOUT in the same way; STDERR is free for your own log (warn). Your strategy
# goes into %strategy: one sub for each kind of decision. The rest is the loop.
#
# A question holds everything that your seat may know, so there is nothing to remember from one
# question to the next. This is why one process can play 64 games at once, which is fast and
# costs you nothing: questions of different games just follow one another.
use strict;
use warnings;
use JSON::PP ();    # JSON::XS does the same, much faster, but has to be installed
use List::Util qw(first reduce sum0);
use Time::HiRes qw(time);

my $json = JSON::PP->new->utf8;

# Your strategy. Each sub takes a question and returns one of its options:
#   $q->{variant}  the rules, such as "sticheln+mild"; `arena rules` explains them
#   $q->{options}  the legal choices
#   $q->{view}     the table as your seat sees it. What you need most:
#     seat        your seat, counted clockwise from 0
#     scores      the score of every seat in the rounds before
#     hand        your cards, such as "R7": a colour's letter and a number
#     leader      the seat that leads the trick on the table
#     trick       the cards on the table in the order of play; empty if you lead
#     tricks      the finished tricks of this round: their leader, cards and winner
#     designated  the designating cards of every seat, undef while they lie face down
my %strategy = (

    # Sticheln, Stick 'Em: the card, or pair "B3+R1", that makes its colour special for you. The
    # card counts as won by you, so it is a low one, or with Reverse a high one.
    designate => sub {
        my ($q) = @_;
        return best($q, sub { total(split /\+/, shift) });
    },

    # All games: the card you play to the trick. A low one seldom does harm.
    play => sub {
        my ($q) = @_;
        my @cards = @{ $q->{options} };
        my %colours = map { colour($_) => 1 } @{ $q->{view}{trick} };
        if ($q->{variant} eq 'hat-trick' && keys %colours == 2) {

            # A card of the third colour would be a pass and cost 2 points.
            my @joining = grep { $colours{ colour($_) } } @cards;
            @cards = @joining if @joining;
        }
        return lowest(\&number, @cards);
    },

    # With Delayed: the special colour, or pair "B+R", that you name after the last trick.
    delayed => sub {
        my ($q) = @_;
        my $seat = $q->{view}{seat};
        my @tricks = grep { defined $_->{winner} && $_->{winner} == $seat } @{ $q->{view}{tricks} };
        my @won = map { @{ $_->{cards} } } @tricks;
        return best($q, sub {
            my ($option) = @_;
            return total(grep { index($option, colour($_)) >= 0 } @won);
        });
    },

    # Was sticht: the task token you take before the first round.
    token => sub { my ($q) = @_; return lowest(\&difficulty, @{ $q->{options} }) },

    # Was sticht: the card you take from the column.
    pick => sub { my ($q) = @_; return lowest(\&number, @{ $q->{options} }) },

    # Was sticht: the task among your tokens that you try in this round.
    task => sub { my ($q) = @_; return lowest(\&difficulty, @{ $q->{options} }) },

    # Was sticht: the token you get rid of as a dealer who succeeded.
    discard => sub { my ($q) = @_; return highest(\&difficulty, @{ $q->{options} }) },
);

sub colour { return substr $_[0], 0, 1 }
sub number { return substr($_[0], 1) + 0 }
sub total  { return sum0(map { number($_) } @_) }

my @EASY_FIRST = qw(
    no_red no_blue no_green no_yellow last_trick exactly_2
    fewest_tricks exactly_3 most_tricks exactly_1 exactly_4 no_trick
);
sub difficulty { my ($task) = @_; return first { $EASY_FIRST[$_] eq $task } 0 .. $#EASY_FIRST }

# The option for which $key gives least, or most; of equal ones the first.
sub lowest  { my ($key, @options) = @_; return reduce { $key->($b) < $key->($a) ? $b : $a } @options }
sub highest { my ($key, @options) = @_; return reduce { $key->($b) > $key->($a) ? $b : $a } @options }

# Special colours cost what they are worth; with Reverse they bring it.
sub best {
    my ($q, $worth) = @_;
    return ($q->{variant} =~ /reverse/ ? \&highest : \&lowest)->($worth, @{ $q->{options} });
}

# The line that answers a message, or nothing; what is not known is ignored.
sub hear {
    my ($message) = @_;
    my $type = $message->{type} // '';
    if ($type eq 'hello') {
        return line({ type => 'ready', games => 64 });
    }
    if ($type eq 'decide') {
        my $decide = $strategy{ $message->{kind} };
        my $choice = $decide ? $decide->($message) : $message->{options}[0];
        return line({ type => 'choose', id => $message->{id}, choice => $choice });
    }
    if ($type eq 'fault') {
        warn "The referee says: $message->{text}\n";
    }
    return '';    # "start" and "result" tell when a game begins and how it ended
}

sub line { return $json->encode($_[0]) . "\n" }

# The loop: answer all questions there are, wait for more, and end when the referee hangs up.
my $PATIENCE = 0.01;    # seconds
$| = 1;                 # what is printed is sent at once
my $input = '';
while (sysread STDIN, $input, 65536, length $input) {
    my $answers = '';
    my $begun   = time;
    while ($input =~ s/^(.*)\n//) {
        $answers .= hear($json->decode($1));

        # One write for many answers is fast. But the clock runs until an answer is sent, so none
        # is kept back while you think about the next question.
        if (time - $begun > $PATIENCE) {
            print $answers;
            $answers = '';
            $begun   = time;
        }
    }
    print $answers;
}
