import { z } from 'zod'
import { limits } from './limits.ts'
import type { RefusalCode } from './refusals.ts'

function mustBe(code: RefusalCode, metadata: Record<string, unknown> = {}) {
  return { params: { code, ...metadata } }
}

/** 8 lower-case hex digits, chosen by the panel. */
export const ServerId = z.string().regex(/^[0-9a-f]{8}$/)

/** Not empty, printable ASCII, and the same after URL escaping, so that it can stand in a path; at most 40 characters. */
export const ServerName = z
  .string()
  .min(1)
  .refine((name) => name.trim() !== '', { ...mustBe('ErrFieldRequired'), abort: true })
  .max(limits.serverNameMax)
  .refine((name) => /^[\x20-\x7e]*$/.test(name), mustBe('ErrFieldMustBePrintable'))
  .refine((name) => /^[\w\-. ]*$/.test(name), mustBe('ErrFieldHasURICharacters'))
  .refine((name) => name.trim() === name, mustBe('ErrFieldHasURICharacters'))

/** A label on servers: one line without commas, because lists of tags are written with commas. */
export const ServerTag = z
  .string()
  .trim()
  .normalize()
  .min(1)
  .max(limits.tagMax)
  .refine((tag) => !/[\p{C}\p{Zl}\p{Zp}]/u.test(tag), mustBe('ErrFieldMustBePrintable'))
  .refine((tag) => !tag.includes(','), mustBe('ErrFieldInvalid'))

/** Equal for tags that differ only in the case of their letters: they are the same tag. */
export const tagKey = (tag: string): string => tag.toLowerCase()

/** The tags of a server. Of tags that differ only in case the first one stays. */
export const ServerTags = z
  .array(ServerTag)
  .max(limits.tagsPerServer)
  .transform((tags) => uniqueTags(tags))

export function uniqueTags(tags: readonly string[]): string[] {
  return tags.filter((tag, index) => tags.findIndex((other) => tagKey(other) === tagKey(tag)) === index)
}

/** At least 3 of letters, digits, `_` and `-`. */
export const Username = z
  .string()
  .refine(
    (name) => new RegExp(`^[0-9A-Za-z_-]{${limits.usernameMin},${limits.usernameMax}}$`).test(name),
    mustBe('ErrUsernameRequirements'),
  )

/** Any text of at least 8 characters; its bytes are bounded because it will be hashed. */
export const Password = z
  .string()
  .refine((password) => password.length >= limits.passwordMin, mustBe('ErrPasswordRequirements'))
  .refine(
    (password) => new TextEncoder().encode(password).length <= limits.passwordMax,
    mustBe('ErrFieldTooLarge', { max: limits.passwordMax }),
  )

export const Email = z.email().max(limits.emailMax)

/** The file-safe name of a template: `minecraft-vanilla`. Published ones have `+` and `&` in theirs. */
export const TemplateName = z
  .string()
  .min(1)
  .max(100)
  .refine((name) => /^[0-9A-Za-z][0-9A-Za-z._+&-]*$/.test(name), mustBe('ErrFieldHasURICharacters'))

/** Names that JavaScript objects give a meaning of their own are refused wherever people name keys. */
export const isOrdinaryKey = (key: string): boolean => !['__proto__', 'constructor', 'prototype'].includes(key)

/** Not empty and without blanks. Published templates use hyphens, leading digits and capitals. */
export const VariableName = z
  .string()
  .refine((name) => name !== '' && !/\s/.test(name), mustBe('ErrVariableName'))
  .refine(isOrdinaryKey, mustBe('ErrFieldInvalid'))
