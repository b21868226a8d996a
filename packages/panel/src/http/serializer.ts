import type { Schema } from '@innkeeper/contract/api/endpoint'
import fastJsonStringify from 'fast-json-stringify'
import { z } from 'zod'

/** Writes a response as JSON. */
export type Serialize = (value: unknown) => string

/**
 * Compiles a serializer from the schema of a response. Fields that are not in the schema are left out. Values are not
 * checked, which would take most of the time of a list: tests check them, see `checked-serializer.ts`.
 */
export function compileSerializer(schema: Schema): Serialize {
  let isTransformed = false
  const jsonSchema = z.toJSONSchema(schema, {
    unrepresentable: 'any',
    override({ zodSchema, jsonSchema }) {
      if (zodSchema._zod.def.type === 'transform') isTransformed = true
      // Other fields are left out, also of members of a union, where they would be an error.
      if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties
    },
  })
  if (isTransformed) return (value) => JSON.stringify(schema.parse(value))
  return fastJsonStringify(jsonSchema as fastJsonStringify.Schema)
}
