# Your strategy: one sub for each kind of decision.
#
# Each takes a question and returns one of its options; or an option and a note for the replay:
# return ( $card, 'to lose the lead' ). A question holds everything that your seat may know (see
# Decide in Messages.pm), so there is nothing to remember from one to the next. This is why one
# process can play 64 games at once: their questions just follow one another.
package Strategy;
use strict;
use warnings;
use List::Util qw(reduce sum0);

# The subs by the kind of decision.
our %DECIDE = (
    designate => \&designate,
    play      => \&play,
    delayed   => \&delayed,
    token     => \&token,
    pick      => \&pick,
    task      => \&task,
    discard   => \&discard,
);

# A game begins. What you want to remember of it, keep by its {game}.
sub start {
    my ($game) = @_;
    return;
}

# A game has ended, unless you lost it by a fault.
sub result {
    my ($game) = @_;
    return;
}

# Sticheln, Stick 'Em: the card, or pair "B3+R1", that makes its colour special for you. The card
# counts as won by you, so it is a low one, or with Reverse a high one.
sub designate {
    my ($question) = @_;
    return best( $question, sub { total( split /\+/, $_[0] ) } );
}

# All games: the card you play to the trick. A low one seldom does harm.
sub play {
    my ($question) = @_;
    my @cards = @{ $question->{options} };
    if ( $question->{variant} eq 'hat-trick' ) {
        my %colours = map  { colour($_) => 1 } @{ $question->{view}{trick} };
        my @joining = grep { $colours{ colour($_) } } @cards;

        # A card of a third colour would be a pass and cost 2 points.
        @cards = @joining if keys %colours == 2 && @joining;
    }
    return lowest( \&number, @cards );
}

# With Delayed: the special colour, or pair "B+R", that you name after the last trick.
sub delayed {
    my ($question) = @_;
    my ( $seat, $tricks ) = @{ $question->{view} }{qw(seat tricks)};
    my @won = map { @{ $_->{cards} } } grep { ( $_->{winner} // -1 ) == $seat } @$tricks;
    return best(
        $question,
        sub {
            my ($option) = @_;
            return total( grep { index( $option, colour($_) ) >= 0 } @won );
        }
    );
}

# Was sticht: the task token you take before the first round.
sub token {
    my ($question) = @_;
    return lowest( \&difficulty, @{ $question->{options} } );
}

# Was sticht: the card you take from the column.
sub pick {
    my ($question) = @_;
    return lowest( \&number, @{ $question->{options} } );
}

# Was sticht: the task among your tokens that you try in this round.
sub task {
    my ($question) = @_;
    return lowest( \&difficulty, @{ $question->{options} } );
}

# Was sticht: the token you get rid of as a dealer who succeeded.
sub discard {
    my ($question) = @_;
    return highest( \&difficulty, @{ $question->{options} } );
}

sub colour { return substr $_[0], 0, 1 }
sub number { return substr( $_[0], 1 ) + 0 }
sub total  { return sum0( map { number($_) } @_ ) }

# The tasks of Was sticht, by how often one fulfils them.
my @EASY_FIRST = qw(
    no_red no_blue no_green no_yellow last_trick exactly_2
    fewest_tricks exactly_3 most_tricks exactly_1 exactly_4 no_trick
);
my %DIFFICULTY = map { $EASY_FIRST[$_] => $_ } 0 .. $#EASY_FIRST;

sub difficulty { return $DIFFICULTY{ $_[0] } // @EASY_FIRST }

# The option for which the key gives least; of equal ones the first.
sub lowest {
    my ( $key, @options ) = @_;
    return reduce { $key->($b) < $key->($a) ? $b : $a } @options;
}

# The option for which the key gives most; of equal ones the first.
sub highest {
    my ( $key, @options ) = @_;
    return reduce { $key->($b) > $key->($a) ? $b : $a } @options;
}

# Special colours cost what they are worth; with Reverse they bring it.
sub best {
    my ( $question, $worth ) = @_;
    my $choose = $question->{variant} =~ /reverse/ ? \&highest : \&lowest;
    return $choose->( $worth, @{ $question->{options} } );
}

1;
