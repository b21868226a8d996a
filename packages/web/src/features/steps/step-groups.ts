import type { StepType } from '@innkeeper/contract/definitions/operations'
import type { TranslationKey } from '../../i18n/translation-key.ts'

interface StepGroup {
  readonly label: TranslationKey
  readonly types: readonly StepType[]
}

/** Step types as they are offered: what is common is first. Each type is in one group. */
export const stepGroups: readonly StepGroup[] = [
  { label: 'server.Tabs', types: ['power', 'backup', 'sleep'] },
  { label: 'server.TabConsole', types: ['stdin', 'console'] },
  {
    label: 'server.TabFiles',
    types: ['writefile', 'alterfile', 'editconfig', 'move', 'mkdir', 'archive', 'extract'],
  },
  { label: 'steps.Field_commands', types: ['command', 'dockerrun'] },
  {
    label: 'steps.Downloads',
    types: [
      'download',
      'steamgamedl',
      'mojangdl',
      'paperdl',
      'fabricdl',
      'forgedl',
      'resolveforgeversion',
      'neoforgedl',
      'resolveneoforgeversion',
      'spongedl',
      'spongeforgedl',
      'curseforge',
      'javadl',
      'nodejsdl',
      'dockerpull',
    ],
  },
]
