import {
  IconBox,
  IconCloudDownload,
  IconFileInfo,
  IconListDetails,
  IconListNumbers,
  IconLogin2,
  IconLogout2,
  IconPower,
  IconServerCog,
  IconTerminal,
  IconTrash,
  IconVariable,
  type TablerIcon,
} from '@tabler/icons-react'
import { type SectionId, stepPaths } from './draft.ts'
import { environmentsIn } from './environments.ts'
import { isObject, partAt, type Raw, stepsAt } from './raw.ts'

export const sectionIcons: Readonly<Record<SectionId, TablerIcon>> = {
  general: IconFileInfo,
  variables: IconVariable,
  install: IconCloudDownload,
  run: IconTerminal,
  shutdown: IconPower,
  pre: IconLogin2,
  post: IconLogout2,
  env: IconListNumbers,
  environments: IconBox,
  uninstall: IconTrash,
  requirements: IconServerCog,
  groups: IconListDetails,
}

/** How many there are of what a part lists. */
export function countsOf(raw: Raw): Readonly<Partial<Record<SectionId, number>>> {
  const keys = (part: unknown) => (isObject(part) ? Object.keys(part).length : 0)
  const steps = Object.entries(stepPaths).map(([section, path]) => [section, stepsAt(raw, path).length])
  return {
    ...Object.fromEntries(steps),
    variables: keys(raw.data),
    env: keys(partAt(raw, ['run', 'environmentVars'])),
    environments: environmentsIn(raw).length,
    groups: Array.isArray(raw.groups) ? raw.groups.length : 0,
  }
}
