import { z } from 'zod/mini'
import type { RefusalCode } from '../errors/refusals.ts'
import { limits } from './limits.ts'

const usernameMin = 3

function mustBe(code: RefusalCode, metadata: Record<string, unknown> = {}) {
  return { params: { code, ...metadata } }
}

/** Characters that cannot be seen or that change the order of others: control and format characters, fillers. */
const invisible = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u

/** Punctuation in names of servers. */
export const serverNameSymbols = "- _ . ' ( ) # & +"

/** Not part of the name of a server, which has letters, marks and digits of any script, spaces and `serverNameSymbols`. */
const otherThanName = /[^\p{L}\p{M}\p{Nd} \-_.'()#&+]/u

/** A name in any script, in NFC: 1 to 100 characters, without surrounding spaces. `.` and `..` cannot be part of a path. */
export const ServerName = z.string().check(
  z.normalize('NFC'),
  z.minLength(1),
  z.refine((name) => name.trim() !== '', { ...mustBe('ErrFieldRequired'), abort: true }),
  z.maxLength(limits.serverNameMax),
  z.refine((name) => !invisible.test(name), { ...mustBe('ErrFieldMustBePrintable'), abort: true }),
  z.refine((name) => !otherThanName.test(name) && !/^\.{1,2}$/.test(name), mustBe('ErrFieldHasURICharacters')),
  z.refine((name) => name.trim() === name, mustBe('ErrFieldHasURICharacters')),
)

/** The form in which names of servers are compared: names that differ only in case are the same name. */
export const serverNameKey = (name: string): string => name.normalize('NFC').toLowerCase().normalize('NFC')

/** The nearest valid name of a server, from a name of elsewhere; empty when nothing remains. */
export function toServerName(name: string): string {
  const visible = [...name.slice(0, 1_000).normalize('NFC')].filter((character) => !invisible.test(character))
  const words = visible.map((character) => (otherThanName.test(character) ? ' ' : character)).join('')
  const shortened = words.split(' ').filter(Boolean).join(' ').slice(0, limits.serverNameMax)
  return ServerName.safeParse(shortened.trim()).data ?? ''
}

/** A label of servers: one line without commas, because lists of tags are separated by commas. */
export const ServerTag = z.string().check(
  z.trim(),
  z.normalize(),
  z.minLength(1),
  z.maxLength(limits.tagMax),
  z.refine((tag) => !/[\p{C}\p{Zl}\p{Zp}]/u.test(tag), mustBe('ErrFieldMustBePrintable')),
  z.refine((tag) => !tag.includes(','), mustBe('ErrFieldInvalid')),
)

/** Normalizes a tag: tags that differ only in case are the same tag. */
export const tagKey = (tag: string): string => tag.toLowerCase()

/** The tags of a server, without duplicates: of tags that differ only in case the first is kept. */
export const ServerTags = z.pipe(
  z.array(ServerTag).check(z.maxLength(limits.tagsPerServer)),
  z.transform((tags) => uniqueTags(tags)),
)

export function uniqueTags(tags: readonly string[]): string[] {
  return tags.filter((tag, index) => tags.findIndex((other) => tagKey(other) === tagKey(tag)) === index)
}

/** At least 3 letters, digits, `_` and `-`. */
export const Username = z
  .string()
  .check(
    z.refine(
      (name) => new RegExp(`^[0-9A-Za-z_-]{${usernameMin},${limits.usernameMax}}$`).test(name),
      mustBe('ErrUsernameRequirements'),
    ),
  )

/** At least 8 characters; the length in bytes is limited because the password is hashed. */
export const Password = z.string().check(
  z.refine((password) => password.length >= limits.passwordMin, mustBe('ErrPasswordRequirements')),
  z.refine(
    (password) => new TextEncoder().encode(password).length <= limits.passwordMax,
    mustBe('ErrFieldTooLarge', { max: limits.passwordMax }),
  ),
)

export const Email = z.email().check(z.maxLength(limits.emailMax))

/** Name of a template, usable as a file name: `minecraft-vanilla`. Published templates use `+` and `&` too. */
export const TemplateName = z.string().check(
  z.minLength(1),
  z.maxLength(100),
  z.refine((name) => /^[0-9A-Za-z][0-9A-Za-z._+&-]*$/.test(name), mustBe('ErrFieldHasURICharacters')),
)

/** Whether a key is safe on a plain object: rejects keys like `__proto__`. */
export const isSafeKey = (key: string): boolean => !['__proto__', 'constructor', 'prototype'].includes(key)

/** Whether a variable, also of the environment, can have this name: `=` and NUL end a name for the system. */
export const isVariableName = (name: string): boolean => name !== '' && !/[\s=\x00-\x1f\x7f]/.test(name)

/** Not empty, without whitespace and `=`. Published templates use hyphens, leading digits and capitals. */
export const VariableName = z.string().check(
  z.refine((name) => name !== '' && !/\s/.test(name), mustBe('ErrVariableName')),
  z.refine((name) => isVariableName(name), mustBe('ErrFieldInvalid')),
  z.refine(isSafeKey, mustBe('ErrFieldInvalid')),
)

/** ID and display name of a template. */
export const TemplateReference = z.object({ name: z.string(), display: z.optional(z.string()) })
export type TemplateReference = z.infer<typeof TemplateReference>
