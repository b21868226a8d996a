import { deepStrictEqual } from 'node:assert'
import type { Schema } from '@innkeeper/contract/api/endpoint'
import { compileSerializer, type Serialize } from '../http/serializer.ts'

/** A serializer that throws for a response that its schema does not allow, or that would be different after parsing. */
export function checkedSerializer(schema: Schema): Serialize {
  const serialize = compileSerializer(schema)
  return (value) => {
    const text = serialize(value)
    deepStrictEqual(JSON.parse(text), JSON.parse(JSON.stringify(schema.parse(value))))
    return text
  }
}
