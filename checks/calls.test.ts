import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { auditActions } from '@innkeeper/contract/audit-actions'
import type { Endpoint } from '@innkeeper/contract/endpoint'
import { endpoints } from '@innkeeper/contract/endpoints'
import { describe, expect, test } from 'vitest'
import { files, isForTests, root, type Source, sourceOf, sources } from './sources.ts'

interface Named {
  /** `@innkeeper/contract/servers#renameServer`. */
  readonly name: string
  readonly call: Endpoint
}

/** Every call that the contract exports. */
async function callsOfTheContract(): Promise<Named[]> {
  const modules = files('packages/contract/src/*.ts').filter(({ path }) => !isForTests(path))
  const loaded = await Promise.all(
    modules.map(async ({ path }) => {
      const exported = (await import(pathToFileURL(join(root, path)).href)) as Record<string, unknown>
      const module = path.slice('packages/contract/src/'.length, -'.ts'.length)
      return Object.entries(exported).flatMap(([name, value]) =>
        isCall(value) ? [{ name: `@innkeeper/contract/${module}#${name}`, call: value }] : [],
      )
    }),
  )
  return loaded.flat()
}

function isCall(value: unknown): value is Endpoint {
  return typeof value === 'object' && value !== null && 'method' in value && 'path' in value && 'via' in value
}

/** The endpoints that a file registers with `registerRoute(…)` (in the daemon `serve(…)`), by the same names. */
function served(source: Source): string[] {
  const names = new Map<string, string>()
  const spaces = new Map<string, string>()
  const found: string[] = []
  source.visit({
    ImportDeclaration({ source: { value: from }, specifiers }) {
      if (!from.startsWith('@innkeeper/contract/')) return
      for (const specifier of specifiers) {
        const { name } = specifier.local
        if (specifier.type === 'ImportNamespaceSpecifier') spaces.set(name, from)
        else if (specifier.type === 'ImportSpecifier' && specifier.imported.type === 'Identifier') {
          names.set(name, `${from}#${specifier.imported.name}`)
        }
      }
    },
  })
  source.visit({
    CallExpression({ callee, arguments: [call] }) {
      if (callee.type !== 'Identifier' || !/^(serve|register)/.test(callee.name) || !call) return
      if (call.type === 'Identifier') found.push(names.get(call.name) ?? '')
      if (call.type !== 'MemberExpression' || call.object.type !== 'Identifier') return
      if (call.property.type !== 'Identifier') return
      const from = spaces.get(call.object.name)
      if (from) found.push(`${from}#${call.property.name}`)
    },
  })
  return found.filter(Boolean)
}

const calls = await callsOfTheContract()

describe.each([
  ['panel', 'panel'],
  ['node', 'daemon'],
] as const)('endpoints of the %s', (via, folder) => {
  const program = sources(`packages/${folder}/src/**/*.ts`).filter(({ path }) => !isForTests(path))
  const registered = program.flatMap((source) => served(source).map((name) => ({ name, path: source.path })))
  const own = calls.filter(({ call }) => call.via === via)

  test.each(own)('$name is registered once', ({ name }) => {
    const places = registered.filter((registration) => registration.name === name).map(({ path }) => path)

    expect(places, `serve it in packages/${folder}, in one place`).toHaveLength(1)
  })

  test('no registered endpoint belongs to another program', () => {
    const foreign = calls.filter(({ call }) => call.via !== via).map(({ name }) => name)

    expect(registered.filter(({ name }) => foreign.includes(name))).toEqual([])
  })
})

test('the list of endpoints is complete', () => {
  const listed = new Set(endpoints.map(({ call }) => call))

  const missing = calls.filter(({ call }) => !listed.has(call)).map(({ name }) => name)
  expect(missing, 'add its module to packages/contract/src/endpoints.ts').toEqual([])
  expect(endpoints).toHaveLength(calls.length)
})

test('every action of the audit log belongs to an endpoint, the terminal or the command line', () => {
  const used = new Set(calls.map(({ call }) => call.audit))

  expect(auditActions.filter((action) => !used.has(action))).toEqual(['server.terminal', 'panel.key.rotate'])
})

test('no two endpoints have the same method and path', () => {
  const addresses = calls.map(({ call }) => `${call.method} ${call.path.replace(/:\w+/g, ':')}`)

  expect(addresses.filter((address, at) => addresses.indexOf(address) !== at)).toEqual([])
})

test('path parameters and their schemas match', () => {
  const wrong = calls.filter(({ call }) => {
    const inPath = [...call.path.matchAll(/:(\w+)/g)].map(([, name]) => name)
    const shape = call.params && 'shape' in call.params ? Object.keys(call.params.shape as object) : []
    return inPath.sort().join() !== shape.sort().join()
  })

  expect(wrong.map(({ name }) => name)).toEqual([])
})

test('the check finds registrations by name and by namespace import', () => {
  const source = sourceOf(
    'packages/panel/src/x/routes.ts',
    `import * as calls from '@innkeeper/contract/servers'
     import { getHealth as health } from '@innkeeper/contract/panel'
     registerRoute(calls.renameServer, () => undefined)
     serve(health, () => undefined)
     send(calls.deleteServer)`,
  )

  expect(served(source)).toEqual(['@innkeeper/contract/servers#renameServer', '@innkeeper/contract/panel#getHealth'])
})
