#!/usr/bin/env node
// Starts the command with the Node.js that was installed with it, whatever the machine's own is.
import { spawnSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const main = join(dirname(dirname(fileURLToPath(import.meta.url))), 'src', 'main.ts')
if (Number(process.versions.node.split('.')[0]) >= 24) {
  await import(main)
} else {
  const { status } = spawnSync(runtime(), [main, ...process.argv.slice(2)], { stdio: 'inherit' })
  process.exit(status ?? 1)
}

function runtime() {
  try {
    const found = createRequire(import.meta.url).resolve(`node-${process.platform}-${process.arch}/package.json`)
    return join(dirname(found), 'bin', 'node')
  } catch {
    console.error(`Innkeeper needs Node.js 24 or newer; this is ${process.versions.node}.`)
    process.exit(1)
  }
}
