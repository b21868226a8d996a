import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'

/** What V8 may take for a thread in a process with such options, in MiB. */
function limitOf(heap: object, ...options: readonly string[]): number {
  const program = `
    import { beginThread } from ${JSON.stringify(new URL('begin-thread.ts', import.meta.url).href)}
    const code = "import { parentPort } from 'node:worker_threads'; import { getHeapStatistics } from 'node:v8'; " +
      'parentPort.postMessage(getHeapStatistics().heap_size_limit)'
    const thread = beginThread(new URL('data:text/javascript,' + encodeURIComponent(code)), { heap: ${JSON.stringify(heap)} })
    thread.once('message', (limit) => console.log(limit))`
  const told = execFileSync(process.execPath, [...options, '--input-type=module', '--eval', program], {
    encoding: 'utf8',
  })
  return Number(told) / 1024 / 1024
}

test('the memory of a thread is what is said of it, also in a process that was given a limit for its main thread', () => {
  const heap = { maxOldGenerationSizeMb: 32, maxYoungGenerationSizeMb: 3 }

  expect(limitOf(heap, '--max-semi-space-size=4')).toBe(35)
  expect(limitOf(heap)).toBe(35)
  expect(limitOf({ maxOldGenerationSizeMb: 32 }, '--max-semi-space-size=64')).toBe(44)
})
