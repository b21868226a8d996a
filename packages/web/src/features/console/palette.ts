import { useComputedColorScheme } from '@mantine/core'
import { useLayoutEffect, useState } from 'react'
import { useActiveTheme } from '../../theme/active-theme.ts'
import { colorNames, type Palette, type Rgb } from './color.ts'

const white: Rgb = [255, 255, 255]
const black: Rgb = [0, 0, 0]
const fallback: Palette = { background: black, text: white, colors: colorNames.map(() => white) }

/** The console colors of the theme in the current color scheme. */
export function usePalette(): Palette {
  const scheme = useComputedColorScheme('dark')
  const theme = useActiveTheme()
  const [palette, setPalette] = useState(fallback)

  // biome-ignore lint/correctness/useExhaustiveDependencies: the tokens change with the color scheme and the theme
  useLayoutEffect(() => setPalette(readPalette()), [scheme, theme])
  return palette
}

/** Reads the tokens as computed colors: only those are RGB in any notation that a theme uses. */
function readPalette(): Palette {
  const text = readColor('--ik-console-text', white)
  return {
    text,
    background: readColor('--ik-console', black),
    colors: colorNames.map((name) => readColor(`--ik-ansi-${name}`, text)),
  }
}

function readColor(token: string, otherwise: Rgb): Rgb {
  // A new element for each token: a changed color of the same element would start a CSS transition.
  const probe = document.createElement('span')
  probe.style.color = `var(${token})`
  document.body.append(probe)
  const [, red, green, blue] = /^rgba?\((\d+), (\d+), (\d+)/.exec(getComputedStyle(probe).color) ?? []
  probe.remove()
  return red === undefined ? otherwise : [Number(red), Number(green), Number(blue)]
}
