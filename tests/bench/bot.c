/* A bot as fast as one can be without cheating: it reads what there is, finds the number and the
   first option of every question, and answers all of them in one write.
   Its argument is the number of games it can hold at once. */

#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define BLOCK 65536

static char in[1 << 20], out[1 << 20];

static char *answer(char *line, size_t size, char *to)
{
    static const char decide[] = "{\"type\":\"decide\"", id[] = "\"id\":", options[] = "\"options\":[\"";
    if (size < sizeof decide || memcmp(line, decide, sizeof decide - 1))
        return to;
    char *number = memmem(line, size, id, sizeof id - 1);
    if (!number)
        return to;
    number += sizeof id - 1;
    char *option = memmem(number, line + size - number, options, sizeof options - 1);
    if (!option)
        return to;
    option += sizeof options - 1;
    size_t digits = strspn(number, "0123456789"), length = strcspn(option, "\"");
    to = mempcpy(to, "{\"type\":\"choose\",\"id\":", 22);
    to = mempcpy(to, number, digits);
    to = mempcpy(to, ",\"choice\":\"", 11);
    to = mempcpy(to, option, length);
    return mempcpy(to, "\"}\n", 3);
}

static void say(const char *from, const char *to)
{
    while (from < to) {
        ssize_t written = write(1, from, to - from);
        if (written < 0)
            _exit(1);
        from += written;
    }
}

int main(int argc, char **argv)
{
    size_t held = 0;
    int size = sprintf(out, "{\"type\":\"ready\",\"games\":%s}\n", argc > 1 ? argv[1] : "1");
    say(out, out + size);
    for (;;) {
        ssize_t got = read(0, in + held, BLOCK);
        if (got <= 0)
            return 0;
        held += got;
        char *line = in, *to = out, *end;
        while ((end = memchr(line, '\n', in + held - line))) {
            to = answer(line, end - line, to);
            line = end + 1;
        }
        say(out, to);
        held -= line - in;
        if (held > sizeof in - BLOCK - 1)
            return 1;
        memmove(in, line, held);
    }
}
