import { expect, test } from 'vitest'
import { z } from 'zod/mini'
import { checkedSerializer } from '../testing/checked-serializer.ts'
import { compileSerializer } from './serializer.ts'

const secret = 'a password hash'
const User = z.object({ id: z.number(), name: z.optional(z.string()) })

test.for([
  ['an object', User, { id: 1, secret }, { id: 1 }],
  ['an object in an object', z.object({ user: User }), { user: { id: 1, secret }, secret }, { user: { id: 1 } }],
  ['an item of a list', z.array(User), [{ id: 1, name: 'a', secret }], [{ id: 1, name: 'a' }]],
  ['a nullable object', z.object({ user: z.nullable(User) }), { user: { id: 1, secret } }, { user: { id: 1 } }],
  ['an optional object', z.object({ user: z.optional(User) }), { user: { id: 1, secret } }, { user: { id: 1 } }],
  ['a value of a record', z.record(z.string(), User), { a: { id: 1, secret } }, { a: { id: 1 } }],
  [
    'a member of a union',
    z.discriminatedUnion('type', [
      z.object({ type: z.literal('user'), user: User }),
      z.object({ type: z.literal('none'), secret: z.string() }),
    ]),
    { type: 'user', user: { id: 1, secret }, secret },
    { type: 'user', user: { id: 1 } },
  ],
  [
    'a part with a fallback',
    z.object({ user: z.catch(z.nullable(User), null) }),
    { user: { id: 1, secret } },
    { user: { id: 1 } },
  ],
  [
    'an extended object',
    z.extend(User, { isOld: z.boolean() }),
    { id: 1, isOld: true, secret },
    { id: 1, isOld: true },
  ],
  [
    'an object that is transformed',
    z.object({
      user: z.pipe(
        User,
        z.transform(({ id }) => ({ id })),
      ),
    }),
    { user: { id: 1, secret }, secret },
    { user: { id: 1 } },
  ],
] as const)('a field that is not in the schema of %s is left out', ([, schema, value, expected]) => {
  for (const compile of [compileSerializer, checkedSerializer]) {
    const text = compile(schema)(value)

    expect(JSON.parse(text)).toEqual(expected)
    expect(text).not.toContain(secret)
  }
})

test.for([
  ['of another type', { id: '1' }],
  ['missing', {}],
] as const)('tests notice a value that is %s', ([, value]) => {
  expect(() => checkedSerializer(User)(value)).toThrow()
})
