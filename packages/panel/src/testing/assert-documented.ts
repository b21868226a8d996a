import type { Endpoint } from '@innkeeper/contract/api/endpoint'
import { documentedCalls, getOpenApi, getPath } from '../api-docs/openapi.ts'

const { paths } = getOpenApi({ calls: documentedCalls, version: '0.0.0', title: 'A test' }) as {
  paths: Readonly<Record<string, Readonly<Record<string, { responses: object }>>>>
}
const documented = new Map<unknown, object>(
  documentedCalls.map(({ call }) => [call, paths[getPath(call)]?.[call.method.toLowerCase()]?.responses ?? {}]),
)

/** Every status that a test receives must be in the OpenAPI document. */
export function expectDocumented(call: Endpoint, status: number): void {
  const responses = documented.get(call)
  if (responses && !Object.hasOwn(responses, String(status))) {
    throw new Error(`${call.method} ${call.path} responded with ${status}, which is not documented.`)
  }
}
