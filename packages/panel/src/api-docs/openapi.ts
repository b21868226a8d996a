import {
  type Access,
  type Endpoint,
  getPanelUrl,
  type OptionalSchema,
  Redirect,
  requiredUser,
  type Schema,
} from '@innkeeper/contract/api/endpoint'
import { scopeOfPermission } from '@innkeeper/contract/api/permissions'
import { endpoints, type NamedEndpoint } from '@innkeeper/contract/endpoints'
import { RefusalEnvelope } from '@innkeeper/contract/errors/refusal-envelope'
import { type RefusalCode, refusals } from '@innkeeper/contract/errors/refusals'
import { z } from 'zod'

type Json = Readonly<Record<string, unknown>>

/** An endpoint for users and programs. */
export type DocumentedCall = NamedEndpoint & { readonly subject: string }

/** All endpoints for users and programs, by subject. */
export const documentedCalls: readonly DocumentedCall[] = endpoints.filter(
  (named): named is DocumentedCall => named.subject !== undefined,
)

interface Options {
  readonly calls: readonly DocumentedCall[]
  readonly version: string
  /** The configured name of the product. */
  readonly title: string
}

/** Generates an OpenAPI 3.1 document from the endpoints alone. */
export function getOpenApi({ calls, version, title }: Options): Json {
  const paths: Record<string, Record<string, Json>> = {}
  for (const named of calls) {
    const path = getPath(named.call)
    paths[path] = { ...paths[path], [named.call.method.toLowerCase()]: getOperation(named) }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: `${title} API`,
      version,
      description: [
        'Requests need the token of a session or of an OAuth2 client: `Authorization: Bearer …`.',
        'Errors have a `code` and, where there is more to say, `metadata`: ' +
          '`${name}` in a message stands for a value of it. A resource that you may not see responds as if it did not exist.',
        `<details><summary>Every code</summary>\n\n${catalog}\n\n</details>`,
      ].join('\n\n'),
    },
    servers: [{ url: '/' }],
    tags: [...new Set(calls.map(({ subject }) => subject))].map((name) => ({ name })),
    paths,
    components: {
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: 'The token of a session, or of an OAuth2 client.' },
        client: {
          type: 'oauth2',
          description: 'A client acts with the current permissions of its owner.',
          flows: { clientCredentials: { tokenUrl: '/oauth2/token', scopes: {} } },
        },
      },
      schemas: { Refusal: getSchema(RefusalEnvelope, 'output') },
      responses: Object.fromEntries(statuses.map((status) => [getName(status), errorResponse(status)])),
    },
  }
}

/** `/proxy/daemon/server/{id}/start`: the path of the panel. */
export function getPath(call: Endpoint): string {
  const params = Object.fromEntries([...call.path.matchAll(/:(\w+)/g)].map(([, name = '']) => [name, `«${name}»`]))
  return decodeURIComponent(getPanelUrl(call, { params })).replaceAll('«', '{').replaceAll('»', '}')
}

function getOperation({ name, subject, call }: DocumentedCall): Json {
  const answer = findResponse(call)
  const requirement = getRequirement(call.access)
  return {
    operationId: name,
    tags: [subject],
    summary: name
      .replace(/([a-z0-9])([A-Z])/g, (_, before: string, letter: string) => `${before} ${letter.toLowerCase()}`)
      .replace(/^./, (letter) => letter.toUpperCase()),
    description: requirement.description,
    ...(requirement.scope === undefined ? {} : { 'x-required-scope': requirement.scope }),
    security:
      call.access === 'public' ? [] : requirement.isForClients ? [{ bearer: [] }, { client: [] }] : [{ bearer: [] }],
    parameters: [
      ...parametersIn('path', call.params),
      ...parametersIn('query', call.query),
      ...Object.entries(call.headers ?? {}).map(([name, description]) => ({
        name,
        in: 'header',
        required: false,
        description,
        schema: { type: 'string' },
      })),
    ],
    ...(call.body || call.stream === 'request' ? { requestBody: getBody(call) } : {}),
    responses: {
      [call.status]: {
        description: getResponseDescription(call, answer),
        ...answer,
        ...(call.responseHeaders && { headers: getResponseHeaders(call.responseHeaders) }),
      },
      ...Object.fromEntries(
        Object.entries(call.otherStatuses ?? {}).map(([status, description]) => [status, { description }]),
      ),
      ...getErrorResponses(call),
    },
  }
}

const recentDescription =
  'Requires a sign-in or a confirmation of the password (`POST /auth/password/confirm`) within the last 10 minutes, else `ErrPasswordRequired`.'

/** The required permission, for the documentation. */
function getRequirement(access: Access): { description: string; scope?: string; isForClients: boolean } {
  if (access === 'public') return { description: 'Public.', isForClients: false }
  if (access === 'session') return { description: 'For authenticated users.', isForClients: true }
  const user = requiredUser(access)
  const recent = user === 'recentUser' ? ` ${recentDescription}` : ''
  if (access === 'user' || access === 'recentUser') {
    return { description: `For authenticated users; not for OAuth2 clients.${recent}`, isForClients: false }
  }
  if (access === 'node' || access === 'panel') throw new Error('Endpoints for nodes are not documented.')
  const isForClients = user === undefined
  const but = isForClients ? '' : ` Not for OAuth2 clients.${recent}`
  if ('scope' in access) {
    return {
      description: `Requires the scope \`${access.scope}\`${access.orScope === undefined ? '' : ` or \`${access.orScope}\``}, or an administrator.${but}`,
      scope: access.scope,
      isForClients,
    }
  }
  const scope = scopeOfPermission[access.onServer]
  const descriptions = {
    viewServer: 'Requires the permission to see the server.',
    admin: 'Requires an administrator.',
  } as Readonly<Record<string, string>>
  return {
    description: (descriptions[access.onServer] ?? `Requires \`${access.onServer}\` on the server.`) + but,
    scope,
    isForClients,
  }
}

function parametersIn(location: 'path' | 'query', shape: OptionalSchema): Json[] {
  if (!shape) return []
  const { properties = {}, required = [] } = getSchema(shape, 'input') as {
    properties?: Record<string, Json>
    required?: readonly string[]
  }
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: location,
    required: location === 'path' || required.includes(name),
    schema,
  }))
}

function getResponseHeaders(headers: NonNullable<Endpoint['responseHeaders']>): Json {
  return Object.fromEntries(
    Object.entries(headers).map(([name, description]) => [name, { description, schema: { type: 'string' } }]),
  )
}

function getResponseDescription({ response }: Endpoint, answer: Json | undefined): string {
  if (response === Redirect) return 'A redirect to the address in `Location`.'
  return answer ? 'Done.' : 'Success, without a body.'
}

const bytes = { schema: { type: 'string', format: 'binary' } } as const

function findResponse({ response, stream }: Endpoint): Json | undefined {
  if (response === Redirect) return undefined
  const json = response && { 'application/json': { schema: getSchema(response, 'output') } }
  if (stream !== 'response') return json && { content: json }
  // An endpoint that only streams bytes has no schema.
  const hasList = response !== undefined && response.def.type !== 'unknown'
  return { content: { ...(hasList ? json : {}), 'application/octet-stream': bytes } }
}

function getBody({ method, path, body, stream }: Endpoint): Json {
  if (stream === 'request') {
    if (method === 'PATCH') return { required: true, content: { 'application/offset+octet-stream': bytes } }
    if (method === 'POST') return { required: false, content: { 'application/offset+octet-stream': bytes } }
    const form = { type: 'object', properties: { file: bytes.schema } }
    return {
      required: false,
      content: { 'application/octet-stream': bytes, 'multipart/form-data': { schema: form } },
    }
  }
  const schema = getSchema(body as Schema, 'input')
  const type =
    schema.type === 'string'
      ? 'text/plain'
      : path === '/oauth2/token'
        ? 'application/x-www-form-urlencoded'
        : 'application/json'
  return { required: body?.safeParse(undefined).success === false, content: { [type]: { schema } } }
}

/** Error responses by status. */
function getErrorResponses(call: Endpoint): Json {
  const { statuses: ownStatuses = [], shape } = call.errorFormat ?? {}
  const content = shape && { 'application/json': { schema: getSchema(shape, 'output') } }
  return Object.fromEntries([
    ...getErrorStatuses(call).map((status) => [status, { $ref: `#/components/responses/${getName(status)}` }]),
    ...ownStatuses.map((status) => [status, { description: 'An error in a format of its own.', content }]),
  ])
}

/** Error statuses that follow from the declaration of an endpoint. */
function getErrorStatuses(call: Endpoint): number[] {
  const { method, access, via, params, query, body, stream, headers = {}, errorStatuses = [], errorFormat } = call
  const isOnServer = typeof access === 'object' && 'onServer' in access
  const isChange = method !== 'GET' && method !== 'HEAD' && !errorFormat
  const isVersioned = 'If-Match' in headers || 'Tus-Resumable' in headers
  const all = [
    ...(params || query || body ? [400] : []),
    ...(access === 'public' ? [] : [401]),
    ...(access === 'public' || (access === 'session' && call.isForSetUp) ? [] : [403]),
    ...(params || isOnServer ? [404] : []),
    ...(isChange || via === 'node' ? [409] : []),
    ...(isVersioned ? [412] : []),
    ...(body || stream === 'request' ? [413] : []),
    ...(isChange || access !== 'public' ? [429] : []),
    500,
    ...(via === 'node' ? [501, 502, 507] : []),
    503,
    ...errorStatuses,
  ]
  return [...new Set(all)].sort((a, b) => a - b)
}

const allCodes = Object.keys(refusals) as RefusalCode[]

/** All codes with messages, as a Markdown table. */
const catalog = [
  '| code | status | message |',
  '|---|---|---|',
  ...allCodes.map((code) => `| \`${code}\` | ${refusals[code][0]} | ${refusals[code][1].replaceAll('|', '\\|')} |`),
].join('\n')

const statuses = [400, 401, 403, 404, 409, 412, 413, 429, 500, 501, 502, 503, 507]
const getName = (status: number): string => `Refused${status}`

function errorResponse(status: number): Json {
  const codes = allCodes.filter((code) => refusals[code][0] === status)
  return {
    description: `An error with one of the codes ${codes.map((code) => `\`${code}\``).join(', ')}.`,
    content: { 'application/json': { schema: { $ref: '#/components/schemas/Refusal' } } },
  }
}

/** JSON Schema; validation in code (a taken name, a valid address) is not part of it. */
function getSchema(shape: Schema, io: 'input' | 'output'): Json {
  const { $schema: _, ...schema } = z.toJSONSchema(shape, { io, unrepresentable: 'any' })
  return schema
}
