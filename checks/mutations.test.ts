import { expect, test } from 'vitest'
import { getSource, isForTests, type Source, sources } from './sources.ts'

/** Files that show errors of requests by themselves, or send them without `useAction`, with the reason. */
const exceptions: Readonly<Record<string, string>> = {
  'packages/web/src/app/app.tsx': 'provides the function that shows errors',
  'packages/web/src/realtime/use-server-connection.ts': 'shows errors of messages, which are not requests',
  'packages/web/src/screens/server/rename-dialog.tsx': 'rolls the new name back; the form shows the error',
}

/**
 * Error handling that belongs to `api/use-action.ts`, where `mutate` shows its errors. The `send` of a form calls
 * `mutateAsync`, and the form shows the error: code that catches or ignores it would hide it.
 */
function errorsByHand(source: Source): string[] {
  const found: string[] = []
  const tried: { readonly start: number; readonly end: number }[] = []
  const handlers: { readonly start: number; readonly end: number }[] = []
  const rejecting: number[] = []
  const report = (start: number) =>
    found.push(`${source.at(start)} handles the error of a request by hand: use mutate of useApiMutation or useAction`)
  const isRejecting = (node: { readonly type: string; readonly start: number }) =>
    node.type === 'CallExpression' && /^[\w.]*mutateAsync\(/.test(source.text.slice(node.start).replace(/\s+/g, ''))
  source.visit({
    Identifier({ name, start }) {
      if (name === 'ShowErrorContext') report(start)
    },
    TryStatement({ block: { start, end }, handler }) {
      if (handler) tried.push({ start, end })
    },
    JSXAttribute({ name, start, end }) {
      if (name.type === 'JSXIdentifier' && /^on[A-Z]/.test(name.name)) handlers.push({ start, end })
    },
    UnaryExpression({ operator, argument, start }) {
      if (operator === 'void' && isRejecting(argument)) report(start)
    },
    CallExpression({ callee, start }) {
      if (callee.type === 'Identifier' && callee.name === 'useMutation') report(start)
      if (callee.type !== 'MemberExpression' && callee.type !== 'Identifier') return
      const text = source.text.slice(callee.start, callee.end).replace(/\s+/g, '')
      if (/\bmutateAsync\(.*\)\.(then|catch)$/.test(text)) report(start)
      if (/(^|\.)mutateAsync$/.test(text)) rejecting.push(start)
    },
  })
  for (const start of rejecting)
    if ([...tried, ...handlers].some((range) => range.start < start && start < range.end)) report(start)
  return found
}

const screens = sources('packages/web/src/**/*.{ts,tsx}').filter(
  ({ path }) => !isForTests(path) && !/\/api\/(use-action|show-error)\.ts$/.test(path),
)

test('errors of requests are shown by useAction or by a form', () => {
  expect(screens.filter(({ path }) => !(path in exceptions)).flatMap(errorsByHand)).toEqual([])
})

test('each exception still handles errors by itself', () => {
  const needed = screens.filter((source) => errorsByHand(source).length > 0).map(({ path }) => path)

  expect(Object.keys(exceptions).filter((path) => !needed.includes(path))).toEqual([])
})

test.each([
  'const showError = use(ShowErrorContext)',
  'const a = useMutation({ mutationFn: () => request(getConfig) })',
  'const b = async () => {\n  try {\n    await a.mutateAsync()\n  } catch (error) {\n    setError(error)\n  }\n}',
  'const b = () => a.mutateAsync({ params }).catch(() => undefined)',
  'const b = () => a\n  .mutateAsync({ params })\n  .then(close, show)',
  'const b = () => void a.mutateAsync()',
  'const b = <Button onClick={() => a.mutateAsync()} />',
])('the check finds %s', (text) => {
  expect(errorsByHand(getSource('a.tsx', text))).toHaveLength(1)
})

test.each([
  'const form = useSaveForm({ send: ({ values }) => a.mutateAsync({ body: values }) })',
  'const b = async () => {\n  if (await a.mutate()) close()\n}',
  'const b = <Button onClick={() => void a.mutate()} />',
  'const b = async () => {\n  try {\n    await a.mutateAsync()\n  } finally {\n    close()\n  }\n}',
])('the check allows %s', (text) => {
  expect(errorsByHand(getSource('a.tsx', text))).toEqual([])
})
