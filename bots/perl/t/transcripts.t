# Replays the transcripts: the bot hears what the referee said and answers what it has to.
use strict;
use warnings;
use FindBin;
use JSON::PP ();
use Test::More;
use Talk;

my $json  = JSON::PP->new->utf8->canonical;
my @files = glob "$FindBin::Bin/../transcripts/*.jsonl";
ok( scalar @files, 'there are transcripts' );
for my $file (@files) {
    my ($name) = $file =~ m{([^/]+)\z};
    subtest $name => sub { replay($file) };
}
done_testing();

sub replay {
    my ($file) = @_;
    open my $lines, '<', $file or die "$file: $!\n";
    my $asked = 0;
    while ( my $line = <$lines> ) {
        my $said = $json->decode($line);
        next if $said->{to} ne 'bot';
        my $message = $said->{message};
        check( $message, Talk::hear( $json->encode($message) ) );
        $asked++ if $message->{type} eq 'decide';
    }
    close $lines;
    return ok( $asked, 'there are questions' );
}

# Exactly hello and decide are answered, with the question's id and one of its options.
sub check {
    my ( $message, $answer ) = @_;
    if ( $message->{type} eq 'hello' ) {
        like( $answer, qr/\}\n\z/, 'a line' );
        my $ready = $json->decode($answer);
        cmp_ok( $ready->{games} // 1, '>', 0, 'one game at least' );
        return is( $ready->{type}, 'ready', 'ready' );
    }
    if ( $message->{type} eq 'decide' ) {
        like( $answer, qr/\}\n\z/, 'a line' );
        my $choose = $json->decode($answer);
        is( $choose->{type}, 'choose',       'a choice' );
        is( $choose->{id},   $message->{id}, 'to the question asked' );
        return ok( scalar( grep { $_ eq $choose->{choice} } @{ $message->{options} } ),
            "$choose->{choice} is an option" );
    }
    return is( $answer, '', "no answer to $message->{type}" );
}
