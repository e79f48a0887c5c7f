/* What the kernel charges for asking and answering: two processes on one core pass a question of
   248 bytes and an answer of 40 to and fro. Its argument is how often; it prints that, and the
   nanoseconds: real time, CPU time of who asks, CPU time of who answers. */

#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define QUESTION 248
#define ANSWER 40

static long long now(clockid_t clock)
{
    struct timespec time;
    clock_gettime(clock, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static void pass(int fd, ssize_t (*act)(int, char *, size_t), char *data, size_t size)
{
    while (size) {
        ssize_t done = act(fd, data, size);
        if (done <= 0)
            _exit(0);
        data += done;
        size -= done;
    }
}

static ssize_t take(int fd, char *data, size_t size) { return read(fd, data, size); }
static ssize_t give(int fd, char *data, size_t size) { return write(fd, data, size); }

int main(int argc, char **argv)
{
    long count = argc > 1 ? atol(argv[1]) : 10000;
    int there[2], back[2];
    char question[QUESTION] = {0}, answer[ANSWER] = {0};
    if (pipe(there) || pipe(back))
        return 1;
    pid_t child = fork();
    if (child == 0) {
        close(there[1]);
        for (;;) {
            pass(there[0], take, question, QUESTION);
            pass(back[1], give, answer, ANSWER);
        }
    }
    clockid_t theirs;
    clock_getcpuclockid(child, &theirs);
    long long wall = 0, own = 0, other = 0;
    for (long trip = -100; trip < count; trip++) {
        if (trip == 0) {
            wall = now(CLOCK_MONOTONIC);
            own = now(CLOCK_PROCESS_CPUTIME_ID);
            other = now(theirs);
        }
        pass(there[1], give, question, QUESTION);
        pass(back[0], take, answer, ANSWER);
    }
    wall = now(CLOCK_MONOTONIC) - wall;
    own = now(CLOCK_PROCESS_CPUTIME_ID) - own;
    other = now(theirs) - other;
    printf("{\"decisions\":%ld,\"wall\":%lld,\"harness\":%lld,\"bots\":%lld}\n", count, wall, own, other);
    close(there[1]);
    waitpid(child, NULL, 0);
    return 0;
}
