import { z } from 'zod/mini'
import { endpoint } from '../api/endpoint.ts'
import { tarLimits } from '../theme/tar.ts'

/** How many themes a panel can have beside those that come with it. */
export const maxThemes = 20

/** Also the name of a file: `/theme/<name>.tar`. */
export const ThemeName = z.string().check(
  z.trim(),
  z.minLength(1),
  z.maxLength(40),
  z.refine((name) => /^\w(?:[\w .-]*\w)?$/.test(name), { params: { code: 'ErrFieldInvalid' } }),
)

/** A theme as administrators see it. */
export const ThemeInfo = z.object({
  name: z.string(),
  /** Comes with Innkeeper: it can be neither changed nor removed. */
  isBundled: z.boolean(),
  /** Size of the archive. */
  bytes: z.number(),
  /** ISO 8601; absent for bundled ones. */
  updatedAt: z.optional(z.string()),
  /** What was left out of `theme.css` when it was uploaded. */
  leftOut: z.array(z.string()),
})
export type ThemeInfo = z.infer<typeof ThemeInfo>

const access = { scope: 'servers.admin', by: 'user' } as const
const params = z.object({ name: ThemeName })

/** All themes of the panel, by name. */
export const listThemes = endpoint('GET', '/api/themes', { access, response: z.array(ThemeInfo) })

/**
 * Adds a theme, or replaces the one of this name: a tar archive with `theme.json`, `theme.css` and images, in Base64. Refused
 * with ErrThemeInvalid, whose `reason` and `detail` say why; what `theme.css` may not contain is left out and listed.
 */
export const putTheme = endpoint('PUT', '/api/themes/:name', {
  access,
  audit: 'theme.upload',
  params,
  body: z.strictObject({ archive: z.base64().check(z.maxLength(Math.ceil(tarLimits.archiveBytes / 3) * 4 + 4)) }),
  response: ThemeInfo,
})

/** Renames a theme. The default theme of the panel stays the default. */
export const renameTheme = endpoint('PUT', '/api/themes/:name/name/:newName', {
  access,
  audit: 'theme.rename',
  params: z.extend(params, { newName: ThemeName }),
})

/** Deletes a theme. Users who selected it get the default theme. */
export const deleteTheme = endpoint('DELETE', '/api/themes/:name', {
  access,
  audit: 'theme.delete',
  params,
})
