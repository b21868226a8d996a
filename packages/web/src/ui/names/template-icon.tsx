import { Avatar } from '@mantine/core'
import {
  type Icon,
  IconBlocks,
  IconBox,
  IconBrandDocker,
  IconBrandNodejs,
  IconBrandPython,
  IconCoffee,
  IconCube,
  IconMicrophone,
  IconRobot,
  IconRouter,
  IconTerminal2,
  IconWorld,
} from '@tabler/icons-react'
import { getTemplateFamily, type TemplateFamily } from './template-family.ts'

/** Games have the initials of their names instead: there are more games than icons that tell them apart. */
const iconsByFamily: Readonly<Record<TemplateFamily, Icon | undefined>> = {
  games: undefined,
  minecraft: IconCube,
  steam: undefined,
  source: undefined,
  bots: IconRobot,
  voice: IconMicrophone,
  misc: IconBox,
}

/** Templates with an icon of their own, by a part of their ID. The first match counts. */
const iconsById: readonly (readonly [string, Icon])[] = [
  ['velocity', IconRouter],
  ['bungeecord', IconRouter],
  ['waterfall', IconRouter],
  ['fabric', IconBlocks],
  ['forge', IconBlocks],
  ['quilt', IconBlocks],
  ['docker', IconBrandDocker],
  ['command', IconTerminal2],
  ['nodejs', IconBrandNodejs],
  ['python', IconBrandPython],
  ['java-app', IconCoffee],
  ['web-static', IconWorld],
]

interface TemplateIconProps {
  /** The template's ID. */
  readonly name: string
  /** The name to show. */
  readonly display?: string | undefined
  readonly type: string
  readonly size?: number
}

/** The icon of a template in a square: its own, that of its family, or its initials; the color follows from the name. */
export function TemplateIcon({ name, display = name, type, size = 38 }: TemplateIconProps) {
  const TemplateSymbol = iconsById.find(([part]) => name.includes(part))?.[1] ?? iconsByFamily[getTemplateFamily(type)]
  return (
    <Avatar name={display} size={size} radius="md" style={{ filter: `hue-rotate(${getHue(name)}deg)` }} aria-hidden>
      {TemplateSymbol && <TemplateSymbol size={size / 2 + 1} stroke={1.6} />}
    </Avatar>
  )
}

/** Degrees from the primary color of the theme, the same for a name everywhere. */
function getHue(name: string): number {
  return [...name].reduce((hash, letter) => (hash * 31 + letter.charCodeAt(0)) % 360, 0)
}
