# Draws the whole terminal as editors and monitors do: on a screen of its own, again after each key and change of its size.
# `h` prints what hostile players may write, `q` leaves. In Perl: the users that servers run as may not run our Node.js.
use strict;
use warnings;

$| = 1;
my $key = 'none';

sub draw {
  my ($rows, $columns) = split ' ', `stty size`;
  my $edge = '+' . '-' x ($columns - 2) . '+';
  my $row = sub { sprintf('|%-*s|', $columns - 2, shift) };
  my @lines = ($edge, $row->(" size $columns by $rows, key $key"), ($row->('')) x ($rows - 3), $edge);
  print "\e[H" . join("\r\n", @lines);
}

my $hostile = join '',
  "\e]0;a stolen title\a",
  "\e]52;c;c3RvbGVu\a",
  "\e]10;?\a\e]11;?\a\e]4;1;?\a",
  "\e[c\e[>c\e[5n\e[6n\e[?6n\e[18t\e[?1004h\e[?25\$p\eP\$qm\e\\",
  "x\e[2147483647b\e[2147483647L\e[2147483647S",
  # Last: what comes before may clear the screen.
  "\e[4;3H\e]8;;https://attacker.example/\aclick here\e]8;;\a";

system 'stty raw -echo';
$SIG{WINCH} = \&draw;
print "\e[?1049h\e[?1h";
draw();
while (1) {
  my $length = sysread STDIN, my $data, 100;
  next unless defined $length; # Interrupted by a change of the size.
  last if $length == 0 or $data eq 'q';
  $key = unpack 'H*', $data;
  draw();
  print "\e[4;3H$hostile" if $data eq 'h';
}
print "\e[?1049l";
