// `busy.mjs [children]`: uses one core as far as it gets it, and starts children that do so too. Says `ready`.
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

for (let child = 0; child < Number(process.argv[2] ?? 0); child++)
  spawn(process.execPath, [fileURLToPath(import.meta.url)], { stdio: 'ignore' })
console.log('ready')
setInterval(() => {
  for (const end = performance.now() + 20; performance.now() < end; );
}, 0)
