import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { hasNewBuild, loadCode } from './load-code.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
  document.head.replaceChildren()
})

const missing = () => new TypeError('Failed to fetch dynamically imported module')

test('a file that does not arrive is requested twice again, with a pause', async () => {
  const load = vi.fn<() => Promise<string>>()
  load.mockRejectedValueOnce(missing()).mockRejectedValueOnce(missing()).mockResolvedValue('code')

  const loaded = loadCode(load)
  await vi.advanceTimersByTimeAsync(900)
  const atFirst = load.mock.calls.length
  await vi.runAllTimersAsync()

  expect(atFirst).toBe(1)
  expect(await loaded).toBe('code')
  expect(load).toHaveBeenCalledTimes(3)
})

test('after the third try the error is thrown', async () => {
  const load = vi.fn<() => Promise<string>>().mockRejectedValue(missing())

  const failure = expect(loadCode(load)).rejects.toThrow('Failed to fetch')
  await vi.runAllTimersAsync()

  await failure
  expect(load).toHaveBeenCalledTimes(3)
})

test('two parts that need the same style sheet request it again once', async () => {
  const link = document.createElement('link')
  link.rel = 'stylesheet'
  link.href = '/assets/shared.css'
  document.head.append(link)
  const replaced: Node[] = []
  const observer = new MutationObserver((changes) => {
    for (const node of changes.flatMap(({ addedNodes }) => [...addedNodes])) {
      replaced.push(node)
      // As browsers do, only for an element that is still in the document.
      setTimeout(() => node.isConnected && node.dispatchEvent(new Event('load')), 50)
    }
  })
  observer.observe(document.head, { childList: true })
  const newPart = (code: string) =>
    vi.fn<() => Promise<string>>().mockRejectedValueOnce(missing()).mockResolvedValue(code)

  const loaded = Promise.all([loadCode(newPart('one')), loadCode(newPart('two'))])
  await vi.advanceTimersByTimeAsync(2_000)

  expect(await loaded).toEqual(['one', 'two'])
  expect(replaced).toHaveLength(1)
  observer.disconnect()
})

test('an error of the code itself is thrown at once', async () => {
  const load = vi.fn<() => Promise<string>>().mockRejectedValue(new Error('broken'))

  await expect(loadCode(load)).rejects.toThrow('broken')

  expect(load).toHaveBeenCalledOnce()
})

test('code that does not come in time is an error', async () => {
  const failure = expect(loadCode(() => new Promise(() => undefined), { timeoutMs: 10 })).rejects.toThrow('not done')

  await vi.runAllTimersAsync()

  await failure
})

test.each([
  ['the same build', '<script type="module" src="/assets/index-a.js"></script>', false],
  ['another build', '<script type="module" src="/assets/index-b.js"></script>', true],
])('a panel with %s is told from the page that it serves', async (_, page, isNew) => {
  const script = document.createElement('script')
  script.type = 'module'
  script.setAttribute('src', '/assets/index-a.js')
  document.head.append(script)
  vi.stubGlobal('fetch', async () => new Response(page))

  expect(await hasNewBuild()).toBe(isNew)
})
