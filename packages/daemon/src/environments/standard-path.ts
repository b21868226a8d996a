/** Where programs are looked up: the `PATH` of servers, and of programs that the daemon runs itself. */
export const standardPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/usr/local/games:/usr/games'
