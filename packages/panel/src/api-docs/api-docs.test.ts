import { readdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Endpoint } from '@innkeeper/contract/api/endpoint'
import { refusals } from '@innkeeper/contract/errors/refusals'
import { describe, expect } from 'vitest'
import { z } from 'zod'
import { test } from '../testing/test-panel.ts'
import { documentedCalls, getOpenApi, getPath } from './openapi.ts'

const Schema = z.record(z.string(), z.unknown())
const Content = z.record(z.string(), z.strictObject({ schema: Schema }))
const Reference = z.strictObject({ $ref: z.string() })
const Headers = z.record(z.string(), z.strictObject({ description: z.string().min(1), schema: Schema }))
const Response = z.strictObject({
  description: z.string().min(1),
  headers: Headers.optional(),
  content: Content.optional(),
})
const Operation = z.strictObject({
  operationId: z.string().regex(/^\w+$/),
  tags: z.array(z.string()).length(1),
  summary: z.string().min(1),
  description: z.string().min(1),
  'x-required-scope': z.string().optional(),
  security: z.array(z.record(z.string(), z.array(z.string()))),
  parameters: z.array(
    z.strictObject({
      name: z.string(),
      in: z.enum(['path', 'query', 'header']),
      required: z.boolean(),
      description: z.string().min(1).optional(),
      schema: Schema,
    }),
  ),
  requestBody: z.strictObject({ required: z.boolean(), content: Content }).optional(),
  responses: z.record(z.string().regex(/^[1-5]\d\d$/), z.union([Reference, Response])),
})
/** A strict subset of OpenAPI 3.1. */
const Document = z.strictObject({
  openapi: z.literal('3.1.0'),
  info: z.strictObject({ title: z.string(), version: z.string(), description: z.string() }),
  servers: z.array(z.strictObject({ url: z.string() })),
  tags: z.array(z.strictObject({ name: z.string() })),
  paths: z.record(
    z.string().startsWith('/'),
    z.partialRecord(z.enum(['get', 'post', 'put', 'delete', 'head', 'patch']), Operation),
  ),
  components: z.strictObject({
    securitySchemes: z.record(z.string(), z.looseObject({ type: z.enum(['http', 'oauth2']) })),
    schemas: z.record(z.string(), Schema),
    responses: z.record(z.string(), Response),
  }),
})

const document = getOpenApi({ calls: documentedCalls, version: '1.2.3', title: 'Northwind' })
const read = Document.parse(document)
const operations = Object.entries(read.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
)

test('every endpoint of the contract except those for nodes is documented once, by its own name', async () => {
  const folder = dirname(fileURLToPath(import.meta.resolve('@innkeeper/contract/endpoints')))
  const modules = (await readdir(folder, { recursive: true })).filter((name) =>
    /^(?!.*(\.test\.|testing)).*\.ts$/.test(name),
  )
  const exported = await Promise.all(
    modules.map(async (name) => Object.entries((await import(join(folder, name))) as Record<string, unknown>)),
  )
  const declared = exported
    .flat()
    .filter(
      (entry): entry is [string, Endpoint] => typeof entry[1] === 'object' && entry[1] !== null && 'via' in entry[1],
    )
    .filter(([, { path }]) => !path.startsWith('/api/node/'))

  const described = operations.map(({ operation, method, path }) => `${operation.operationId} ${method} ${path}`)
  const expected = declared.map(([name, call]) => `${name} ${call.method.toLowerCase()} ${getPath(call)}`)

  expect(expected.length).toBeGreaterThan(60)
  expect(described.sort()).toEqual(expected.sort())
  expect(new Set(operations.map(({ operation }) => operation.operationId)).size).toBe(operations.length)
})

test('all references resolve, and all definitions are referenced', () => {
  const text = JSON.stringify(document)
  const references = [...text.matchAll(/"\$ref":"([^"]+)"/g)].map(([, reference = '']) => reference)

  expect(references.length).toBeGreaterThan(100)
  for (const reference of new Set(references)) {
    const found = reference
      .slice(2)
      .split('/')
      .reduce<unknown>((at, key) => (at as Record<string, unknown> | undefined)?.[key], document)
    expect(found, reference).toBeDefined()
  }
  expect(text).not.toContain('"$defs"')
  expect(text).not.toContain('"$schema"')
})

describe('an operation', () => {
  test.for(operations)('$method $path documents its path parameters and errors', ({ path, operation }) => {
    const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
    const pathParameters = operation.parameters.filter((parameter) => parameter.in === 'path')

    expect(pathParameters.map(({ name }) => name).sort()).toEqual(inPath.sort())
    expect(pathParameters.every(({ required }) => required)).toBe(true)
    const statuses = Object.keys(operation.responses)
    expect(statuses.some((status) => status.startsWith('2'))).toBe(true)
    // Clients send their secret here.
    const isForSecrets = operation.operationId === 'token'
    expect(statuses.includes('401')).toBe(operation.security.length > 0 || isForSecrets)
    expect(statuses).toContain('500')
  })

  test('documents the required permission, excluded clients, headers, bodies and responses', () => {
    const of = (name: string) => operations.find(({ operation }) => operation.operationId === name)?.operation

    expect(of('putSetting')).toMatchObject({ 'x-required-scope': 'panel.settings' })
    expect(of('startServer')?.description).toContain('`startServer`')
    expect(of('startServer')?.['x-required-scope']).toBe('servers.start')
    expect(of('login')?.security).toEqual([])
    expect(of('putSelf')?.security).toEqual([{ bearer: [] }])
    expect(of('listServers')?.security).toContainEqual({ client: [] })
    expect(Object.keys(of('sendCommand')?.requestBody?.content ?? {})).toEqual(['text/plain'])
    expect(Object.keys(of('putFile')?.requestBody?.content ?? {})).toEqual([
      'application/octet-stream',
      'multipart/form-data',
    ])
    const findHeaders = (name: string) =>
      of(name)?.parameters.flatMap((parameter) => (parameter.in === 'header' ? [parameter.name] : []))
    for (const name of ['putDefinition', 'putTask', 'putTemplate', 'importTemplate', 'putFile']) {
      expect(findHeaders(name), name).toContain('If-Match')
      expect(of(name)?.responses[412], name).toBeDefined()
    }
    expect(findHeaders('appendUpload')).toEqual(['Tus-Resumable', 'Upload-Offset'])
    expect(Object.keys(of('startServer')?.responses ?? {}).filter((status) => status < '3')).toEqual(['202', '204'])
    expect(Object.keys(of('startFileJob')?.responses ?? {}).filter((status) => status < '3')).toEqual(['202'])
    expect(of('deleteFile')?.responses[204]).toMatchObject({ headers: { 'innkeeper-trash-entry': {} } })
    expect(of('getFile')?.responses).toMatchObject({ 206: {}, 304: {}, 416: {} })
    expect(of('getFile')?.responses[200]).toMatchObject({
      content: { 'application/json': {}, 'application/octet-stream': {} },
    })
    expect(Object.keys(of('token')?.requestBody?.content ?? {})).toEqual(['application/x-www-form-urlencoded'])
    for (const status of [400, 401, 429]) {
      expect(JSON.stringify(of('token')?.responses[status]), String(status)).toContain('error_description')
    }
  })
})

test('times are ISO 8601 text, and names of numbers in milliseconds end in Ms', () => {
  const timeName = /^(at|since|time|epoch)$|(At|Time|Since|Until|Epoch|Date)$/
  /** Names in epoch seconds, for compatibility with existing clients. */
  const inSeconds = ['epoch', 'modifyTime']
  const properties = getProperties([read.paths, read.components.schemas])

  const times = properties.filter(({ name }) => timeName.test(name))
  const asNumber = times.filter(({ types }) => !types.includes('string')).map(({ name }) => name)
  const inMs = properties.filter(({ name }) => name.endsWith('Ms'))

  expect(times.length).toBeGreaterThan(20)
  expect([...new Set(asNumber)].toSorted()).toEqual(inSeconds)
  expect(inMs.length).toBeGreaterThan(0)
  expect(inMs.filter(({ types }) => types.includes('string'))).toEqual([])
})

test('every error code is documented', () => {
  const responses = JSON.stringify(read.components.responses)
  const statuses = Object.keys(read.components.responses).map((name) => Number(name.replace('Refused', '')))
  const codes = Object.entries(refusals).filter(([, [status]]) => statuses.includes(status))

  expect(codes.length).toBeGreaterThan(60)
  for (const [code, [, message]] of codes) {
    expect(responses).toContain(`\`${code}\``)
    expect(read.info.description).toContain(message)
  }
})

test('the page loads everything from the panel, and satisfies its content security policy', async ({ testPanel }) => {
  const page = await testPanel.panel.app.inject({ url: '/api/docs' })
  const loaded = [...page.body.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, url = '']) => url)
  const start = await testPanel.panel.app.inject({ url: '/api/docs/assets/start.js' })

  expect(page.statusCode).toBe(200)
  expect(page.headers['content-security-policy']).toContain("script-src 'self';")
  expect(page.body).not.toMatch(/<script(?![^>]*src=)|\son\w+=|https?:/)
  expect(loaded.length).toBeGreaterThan(3)
  for (const url of loaded) {
    const answer = await testPanel.panel.app.inject({ url })
    expect([url, answer.statusCode], url).toEqual([url, 200])
    expect(answer.rawPayload.length).toBeGreaterThan(100)
  }
  expect(start.body).toContain('validatorUrl: null')
  expect((await testPanel.panel.app.inject({ url: '/api/docs/assets/package.json' })).statusCode).toBe(404)
})

test('the document is public, and cached until it changes', async ({ testPanel }) => {
  const first = await testPanel.panel.app.inject({ url: '/api/openapi.json' })
  const response = await testPanel.panel.app.inject({
    url: '/api/openapi.json',
    headers: { 'if-none-match': String(first.headers.etag) },
  })

  expect(Document.safeParse(first.json()).error).toBeUndefined()
  expect(first.json()).toMatchObject({ info: { title: 'Innkeeper API', version: '0.0.0-test' } })
  expect(response.statusCode).toBe(304)
})

interface Property {
  readonly name: string
  readonly types: readonly string[]
}

/** All properties of the JSON schemas in a document, with their types. */
function getProperties(schema: unknown): Property[] {
  if (typeof schema !== 'object' || schema === null) return []
  const entries = 'properties' in schema ? Object.entries(schema.properties ?? {}) : []
  const properties = entries.map(([name, property]) => ({ name, types: getTypes(property) }))
  return [...properties, ...Object.values(schema).flatMap(getProperties)]
}

function getTypes(schema: unknown): string[] {
  const parsed = z
    .looseObject({
      type: z.union([z.string(), z.array(z.string())]).optional(),
      anyOf: z.array(z.unknown()).optional(),
    })
    .parse(schema)
  return [parsed.type ?? [], (parsed.anyOf ?? []).flatMap(getTypes)].flat()
}
