// Ignores SIGTERM, SIGINT and SIGHUP, and so do its descendants: a child, and one that was forked twice into a session
// of its own. Says `ready <pid> <pid> <pid>` when all of them are there.
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const role = process.argv[2] ?? 'first'
const self = fileURLToPath(import.meta.url)
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => console.log(`${role} ignores ${signal}`))
setInterval(() => undefined, 60_000)

if (role === 'first') {
  const [child, escaped] = await Promise.all([tellingPid(['child']), tellingPid(['between'])])
  console.log(`ready ${process.pid} ${child} ${escaped}`)
} else if (role === 'between') {
  spawn(process.execPath, [self, 'escaped'], { detached: true, stdio: ['ignore', 'inherit', 'inherit'] }).on(
    'spawn',
    () => process.exit(0),
  )
} else {
  console.log(`pid ${process.pid}`)
}

async function tellingPid(args) {
  const child = spawn(process.execPath, [self, ...args], { detached: true, stdio: ['ignore', 'pipe', 'inherit'] })
  for await (const data of child.stdout) {
    const pid = /^pid (\d+)/.exec(data.toString())?.[1]
    if (pid) return pid
  }
  throw new Error(`no pid from ${args}`)
}
