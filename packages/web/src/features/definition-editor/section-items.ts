import {
  IconBox,
  IconCloudDownload,
  IconFileInfo,
  IconListDetails,
  IconListNumbers,
  IconLogin2,
  IconLogout2,
  IconMessageQuestion,
  IconPower,
  IconServerCog,
  IconTerminal,
  IconTrash,
  IconVariable,
  type TablerIcon,
} from '@tabler/icons-react'
import { type SectionId, stepPaths } from './draft.ts'
import { getEnvironments } from './environments.ts'
import { getIn, getSteps, isObject, type JsonObject } from './json-path.ts'
import { getPrompts } from './prompts.ts'

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
  prompts: IconMessageQuestion,
}

/** How many items each section lists. */
export function countItems(raw: JsonObject): Readonly<Partial<Record<SectionId, number>>> {
  const countKeys = (value: unknown) => (isObject(value) ? Object.keys(value).length : 0)
  const steps = Object.entries(stepPaths).map(([section, path]) => [section, getSteps(raw, path).length])
  return {
    ...Object.fromEntries(steps),
    variables: countKeys(raw.data),
    env: countKeys(getIn(raw, ['run', 'environmentVars'])),
    environments: getEnvironments(raw).length,
    groups: Array.isArray(raw.groups) ? raw.groups.length : 0,
    prompts: getPrompts(raw).length,
  }
}
