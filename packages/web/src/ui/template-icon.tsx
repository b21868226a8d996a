import { Avatar } from '@mantine/core'
import {
  type Icon,
  IconBlocks,
  IconBox,
  IconBrandDocker,
  IconBrandNodejs,
  IconBrandPython,
  IconBrandSteam,
  IconCoffee,
  IconCube,
  IconDeviceGamepad2,
  IconMicrophone,
  IconPick,
  IconRobot,
  IconRouter,
  IconShield,
  IconSword,
  IconTank,
  IconTarget,
  IconTerminal2,
  IconTractor,
  IconTrain,
  IconWorld,
} from '@tabler/icons-react'
import { getTemplateFamily, type TemplateFamily } from './template-family.ts'

const iconsByFamily: Readonly<Record<TemplateFamily, Icon>> = {
  games: IconDeviceGamepad2,
  minecraft: IconCube,
  steam: IconBrandSteam,
  source: IconTarget,
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
  ['openttd', IconTrain],
  ['factorio', IconTractor],
  ['luanti', IconPick],
  ['terraria', IconPick],
  ['armagetron', IconTank],
  ['bzflag', IconTank],
  ['freeciv', IconShield],
  ['wesnoth', IconSword],
  ['valheim', IconSword],
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
  readonly type: string
  readonly size?: number
  readonly className?: string | undefined
}

/** The icon of a template in a square: its own, or else the one of its family. */
export function TemplateIcon({ name, type, size = 38, className }: TemplateIconProps) {
  const IconOfTemplate = iconsById.find(([part]) => name.includes(part))?.[1] ?? iconsByFamily[getTemplateFamily(type)]
  return (
    <Avatar size={size} radius="md" {...(className !== undefined && { className })} aria-hidden>
      <IconOfTemplate size={size / 2 + 1} stroke={1.6} />
    </Avatar>
  )
}
