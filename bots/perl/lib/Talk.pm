# The talk with the referee: lines in, lines out. The decisions are made in Strategy.pm.
package Talk;
use strict;
use warnings;
use Messages;
use Strategy;
use Time::HiRes qw(time);

my $GAMES    = 64;      # how many it can hold at once
my $PATIENCE = 0.01;    # seconds after which answers are sent, even if more questions lie ready

# Answer all questions there are, wait for more, and return when the referee hangs up.
sub run {
    local $| = 1;       # what is printed is sent at once
    my $input = '';
    while ( sysread STDIN, $input, 65536, length $input ) {
        my $answers = '';
        my $begun   = time;
        while ( $input =~ s/^(.*)\n// ) {
            $answers .= hear($1);

            # One write for many answers is fast. But the clock runs until an answer is sent, so
            # none is kept back while you think about the next question.
            if ( time - $begun > $PATIENCE ) {
                print $answers;
                $answers = '';
                $begun   = time;
            }
        }
        print $answers;
    }
    return;
}

# The line that answers a line, or nothing; what is not known is ignored.
sub hear {
    my ($line) = @_;
    my $message = Messages::decode($line);
    my $type    = $message->{type} // '';
    return Messages::ready($GAMES) if $type eq 'hello';
    return Messages::choose( $message->{id}, choose($message) ) if $type eq 'decide';
    Strategy::start($message)                   if $type eq 'start';
    Strategy::result($message)                  if $type eq 'result';
    warn "The referee says: $message->{text}\n" if $type eq 'fault';
    return '';
}

# Ask the sub for the kind of decision: the choice, and a note if there is one.
sub choose {
    my ($question) = @_;
    my $decide = $Strategy::DECIDE{ $question->{kind} };
    return $decide ? $decide->($question) : $question->{options}[0];
}

1;
