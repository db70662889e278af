/**
 * A shell script that runs its arguments as a child that cannot outlive us: its standard input is a lifeline, and when that ends
 * (we stopped it, crashed or were killed), the whole process group is ended, first asked, then forced. So no exit path leaves a
 * process of the group behind. The child's own standard input is empty. `onEnd` is shell that runs once the child has ended,
 * with its exit code in `$code`.
 */
export function supervisor(onEnd: string): string {
  return `
trap : TERM INT HUP
exec 3<&0
"$@" 3<&- 4>&- </dev/null &
child=$!
(
  trap : TERM INT HUP
  read -r _ <&3
  kill -TERM "-$$" 2>/dev/null
  for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30; do
    kill -0 "$child" 2>/dev/null || break
    sleep 0.1
  done
  kill -KILL "-$$" 2>/dev/null
) &
exec 3<&-
while :; do
  wait "$child"
  code=$?
  kill -0 "$child" 2>/dev/null || break
done
${onEnd}
kill -KILL "-$$"
`;
}

/** Whether any process of a group is left; one that nobody has collected yet counts. */
export function isAlive(group: number): boolean {
  try {
    return group !== 0 && process.kill(-group, 0);
  } catch {
    return false;
  }
}

/** Ends a process group by force. */
export function killGroup(group: number): void {
  // Zero would be our own group: then nothing was started.
  if (group === 0) return;
  try {
    process.kill(-group, "SIGKILL");
  } catch {
    // It ended by itself in the meantime.
  }
}
