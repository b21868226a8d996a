import { z } from 'zod'
import { call } from './call.ts'

/** What everyone may know before logging in. */
export const PanelConfig = z.object({
  branding: z.object({ name: z.string() }),
  themes: z.object({ active: z.string(), available: z.array(z.string()) }),
  registrationEnabled: z.boolean(),
  /** Whether a forgotten password can be set anew by mail. */
  passwordResetEnabled: z.boolean().optional(),
  /** True until the first administrator exists. */
  setupNeeded: z.boolean(),
  /** The page for people who want to translate; without it, the documentation in the app. */
  translationUrl: z.string().optional(),
  version: z.string(),
})
export type PanelConfig = z.infer<typeof PanelConfig>

export const getConfig = call({ method: 'GET', path: '/api/config', access: 'public', answer: PanelConfig })

/** `scopes` are those of this moment, as the login answered those of its time; an older panel sends none. */
export const Self = z.object({
  id: z.number(),
  username: z.string(),
  email: z.string(),
  scopes: z.array(z.string()).optional(),
  /**
   * Whether the address is known to be theirs: its owner opened a link sent to it, or an administrator confirmed it. An
   * older panel does not say.
   */
  emailConfirmed: z.boolean().optional(),
})
export type Self = z.infer<typeof Self>

/** The version is in the `ETag` header. */
export const getSelf = call({ method: 'GET', path: '/api/self', access: 'session', answer: Self })

export const getUserSettings = call({
  method: 'GET',
  path: '/api/userSettings',
  access: 'person',
  answer: z.array(z.object({ key: z.string(), value: z.string() })),
})

/**
 * Keys in use: `dark`, `preferredTheme`, `console`, `pinnedServers`, `savedCommands.<serverId>`, `serverFilters`,
 * `filesSort`, `firstSteps`, and `language`, which is one of {@link languages}: mails come in it.
 */
export const putUserSetting = call({
  method: 'PUT',
  path: '/api/userSettings/:key',
  access: 'person',
  params: z.object({ key: z.string().min(1).max(100) }),
  body: z.object({ value: z.string().max(20_000) }),
})

/** Alive: the program answers. */
export const getHealth = call({
  method: 'GET',
  path: '/healthz',
  access: 'public',
  answer: z.object({ alive: z.boolean() }),
})

/** Ready: the database answers and the local node, where there is one, is attached. */
export const getReadiness = call({
  method: 'GET',
  path: '/readyz',
  access: 'public',
  answer: z.object({ ready: z.boolean() }),
  refuses: [502],
})
