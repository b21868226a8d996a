import { expect, test } from 'vitest'
import { getSource, isForTests, type Source, sources } from './sources.ts'

/** Components that read the loading or error state of a query, with the reason. */
const exceptions: Readonly<Record<string, string>> = {
  'packages/web/src/screens/servers/first-steps.tsx': 'leaves out what could not be loaded',
  'packages/web/src/screens/servers/use-servers-screen.tsx': 'hides controls around the list, which QueryState shows',
  'packages/web/src/screens/sign-in/sign-in-screen.tsx': 'works without the data',
}

const states = ['error', 'isError', 'isLoading', 'isPending']
/** States that only queries have: also those in the result of another hook. Mutations are pending too. */
const statesOfAnyHook = ['isError', 'isLoading']

/** Loading and error states of queries that a component reads. `isRefusal(query.error, …)` selects another page. */
function queryStates(source: Source): string[] {
  const queries = new Set<string>()
  const hookResults = new Set<string>()
  const selections = new Set<number>()
  const found: string[] = []
  const report = (start: number, state: string) =>
    found.push(`${source.at(start)} reads '${state}' of a query: use QueryState of ui/query-state.tsx`)
  source.visit({
    VariableDeclarator({ id, init }) {
      if (init?.type !== 'CallExpression' || init.callee.type !== 'Identifier') return
      if (/^use[A-Z]/.test(init.callee.name) && id.type === 'Identifier') hookResults.add(id.name)
      if (!/^use\w*Query$/.test(init.callee.name)) return
      if (id.type === 'Identifier') queries.add(id.name)
      if (id.type !== 'ObjectPattern') return
      for (const { start, ...property } of id.properties) {
        const name = property.type === 'Property' && property.key.type === 'Identifier' ? property.key.name : ''
        if (states.includes(name)) report(start, name)
      }
    },
    CallExpression({ callee, arguments: [first] }) {
      if (callee.type === 'Identifier' && callee.name === 'isRefusal' && first) selections.add(first.start)
    },
    MemberExpression({ object, property, start }) {
      if (object.type !== 'Identifier' || property.type !== 'Identifier' || selections.has(start)) return
      const isOfQuery = queries.has(object.name) && states.includes(property.name)
      const isOfHook = hookResults.has(object.name) && statesOfAnyHook.includes(property.name)
      if (isOfQuery || isOfHook) report(start, property.name)
    },
  })
  return found
}

const components = sources('packages/web/src/**/*.tsx').filter(({ path }) => !isForTests(path))

test('loading and error states of queries are those of QueryState', () => {
  expect(components.filter(({ path }) => !(path in exceptions)).flatMap(queryStates)).toEqual([])
})

test('each exception still reads the state of a query', () => {
  const needed = components.filter((source) => queryStates(source).length > 0).map(({ path }) => path)

  expect(Object.keys(exceptions).filter((path) => !needed.includes(path))).toEqual([])
})

test.each([
  'const { data, error } = useApiQuery(getConfig)',
  'const a = useApiQuery(getConfig)\nif (a.isPending) b()',
  'const a = useListing(server)\nif (a.isError) b()',
  'const a = useInfiniteQuery({})\nconst b = <p>{a.error && message}</p>',
])('the check finds %s', (text) => {
  expect(queryStates(getSource('a.tsx', text))).toHaveLength(1)
})

test.each([
  'const { data } = useApiQuery(getConfig)',
  "const a = useApiQuery(getConfig)\nif (isRefusal(a.error, 'ErrNotFound')) b()",
  'const a = useApiMutation(getConfig)\nif (a.isPending) b()',
])('the check allows %s', (text) => {
  expect(queryStates(getSource('a.tsx', text))).toEqual([])
})

/** Effects that send requests, with the reason. */
const effectExceptions: Readonly<Record<string, string>> = {
  'packages/web/src/session/session.tsx': 'renews the session in intervals',
}

/** Requests that an effect sends. */
function requestsInEffects(source: Source): string[] {
  const effects: { readonly start: number; readonly end: number }[] = []
  const requests: number[] = []
  source.visit({
    CallExpression({ callee, start, end }) {
      if (callee.type !== 'Identifier') return
      if (/^use(Layout)?Effect(Event)?$/.test(callee.name)) effects.push({ start, end })
      if (/^(request|requestVersioned|downloadBytes)$/.test(callee.name)) requests.push(start)
    },
  })
  return requests
    .filter((start) => effects.some((effect) => effect.start < start && start < effect.end))
    .map((start) => `${source.at(start)} sends a request in an effect: use useApiQuery`)
}

test('effects send no requests', () => {
  const found = sources('packages/web/src/**/*.{ts,tsx}').filter((source) => requestsInEffects(source).length > 0)

  expect(found.map(({ path }) => path)).toEqual(Object.keys(effectExceptions))
})

test('the check finds a request in an effect', () => {
  const effect = 'useEffect(() => {\n  request(getConfig).then(setConfig)\n}, [])'
  const handler = 'const save = () => request(getConfig)\nuseEffect(() => {}, [])'

  expect(requestsInEffects(getSource('a.ts', effect))).toHaveLength(1)
  expect(requestsInEffects(getSource('a.ts', handler))).toEqual([])
})
