import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { fileChangeTypes } from '@innkeeper/contract/activity/file-changes'
import { auditActions } from '@innkeeper/contract/api/audit-actions'
import type { Endpoint } from '@innkeeper/contract/api/endpoint'
import { endpoints } from '@innkeeper/contract/endpoints'
import { describe, expect, test } from 'vitest'
import { files, getSource, isForTests, root, type Source, sources } from './sources.ts'

interface NamedEndpoint {
  /** `@innkeeper/contract/servers/servers#renameServer`. */
  readonly name: string
  readonly call: Endpoint
}

/** All endpoints that the contract exports. */
async function contractEndpoints(): Promise<NamedEndpoint[]> {
  const modules = files('packages/contract/src/**/*.ts').filter(({ path }) => !isForTests(path))
  const loaded = await Promise.all(
    modules.map(async ({ path }) => {
      const exported = (await import(pathToFileURL(join(root, path)).href)) as Record<string, unknown>
      const module = path.slice('packages/contract/src/'.length, -'.ts'.length)
      return Object.entries(exported).flatMap(([name, value]) =>
        isEndpoint(value) ? [{ name: `@innkeeper/contract/${module}#${name}`, call: value }] : [],
      )
    }),
  )
  return loaded.flat()
}

function isEndpoint(value: unknown): value is Endpoint {
  return typeof value === 'object' && value !== null && 'method' in value && 'path' in value && 'via' in value
}

/** Names of the endpoints that a file registers with `registerRoute(…)`, in the daemon `serve(…)`. */
function registrationsIn(source: Source): string[] {
  const names = new Map<string, string>()
  const namespaces = new Map<string, string>()
  const found: string[] = []
  source.visit({
    ImportDeclaration({ source: { value: from }, specifiers }) {
      if (!from.startsWith('@innkeeper/contract/')) return
      for (const specifier of specifiers) {
        const { name } = specifier.local
        if (specifier.type === 'ImportNamespaceSpecifier') namespaces.set(name, from)
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
      const from = namespaces.get(call.object.name)
      if (from) found.push(`${from}#${call.property.name}`)
    },
  })
  return found.filter(Boolean)
}

const declared = await contractEndpoints()

describe.each([
  ['panel', 'panel'],
  ['node', 'daemon'],
] as const)('endpoints of the %s', (via, folder) => {
  const program = sources(`packages/${folder}/src/**/*.ts`).filter(({ path }) => !isForTests(path))
  const registered = program.flatMap((source) => registrationsIn(source).map((name) => ({ name, path: source.path })))
  const own = declared.filter(({ call }) => call.via === via)

  test.each(own)('$name is registered once', ({ name }) => {
    const places = registered.filter((registration) => registration.name === name).map(({ path }) => path)

    expect(places, `register it once in packages/${folder}`).toHaveLength(1)
  })

  test('no registered endpoint belongs to another program', () => {
    const foreign = declared.filter(({ call }) => call.via !== via).map(({ name }) => name)

    expect(registered.filter(({ name }) => foreign.includes(name))).toEqual([])
  })
})

test('the list of endpoints is complete', () => {
  const listed = new Set(endpoints.map(({ call }) => call))

  const missing = declared.filter(({ call }) => !listed.has(call)).map(({ name }) => name)
  expect(missing, 'add its module to packages/contract/src/endpoints.ts').toEqual([])
  expect(endpoints).toHaveLength(declared.length)
})

test('every action of the audit log belongs to an endpoint, the terminal, the end of access, a report of a node or the command line', () => {
  const used = new Set(declared.map(({ call }) => call.audit))
  const reported = new Set<string>(fileChangeTypes.map((type) => `server.sftp.${type}`))

  const others = auditActions.filter((action) => !used.has(action))
  expect(others.filter((action) => !reported.has(action))).toEqual([
    'server.user.expire',
    'server.terminal',
    'panel.key.rotate',
  ])
})

test('no two endpoints have the same method and path', () => {
  const addresses = declared.map(({ call }) => `${call.method} ${call.path.replace(/:\w+/g, ':')}`)

  expect(addresses.filter((address, at) => addresses.indexOf(address) !== at)).toEqual([])
})

test('path parameters and their schemas match', () => {
  const wrong = declared.filter(({ call }) => {
    const inPath = [...call.path.matchAll(/:(\w+)/g)].map(([, name]) => name)
    const shape = call.params && 'shape' in call.params ? Object.keys(call.params.shape as object) : []
    return inPath.sort().join() !== shape.sort().join()
  })

  expect(wrong.map(({ name }) => name)).toEqual([])
})

test('the check finds registrations by name and by namespace import', () => {
  const source = getSource(
    'packages/panel/src/x/routes.ts',
    `import * as calls from '@innkeeper/contract/servers/servers'
     import { getHealth as health } from '@innkeeper/contract/settings/panel'
     registerRoute(calls.renameServer, () => undefined)
     serve(health, () => undefined)
     send(calls.deleteServer)`,
  )

  expect(registrationsIn(source)).toEqual([
    '@innkeeper/contract/servers/servers#renameServer',
    '@innkeeper/contract/settings/panel#getHealth',
  ])
})
