import { builtInTheme } from '@innkeeper/contract/theme/names'
import { type TarFile, writeTar } from '@innkeeper/contract/theme/tar'

interface BundledTheme {
  readonly colors: { readonly light: Readonly<Record<string, string>>; readonly dark: Readonly<Record<string, string>> }
}

const themes: Readonly<Record<string, BundledTheme>> = {
  [builtInTheme]: { colors: { light: {}, dark: {} } },
  Harbour: {
    colors: {
      light: { primary: '#0b7a72', accent: '#e8896b', background: '#eef5f4', surface: '#fcfefe', text: '#12211f' },
      dark: { primary: '#0f8a80', accent: '#f0a184', background: '#0a1516', surface: '#102021', text: '#e3efee' },
    },
  },
  Heather: {
    colors: {
      light: { primary: '#8a3fb0', accent: '#2f9c8d', background: '#f6f2f8', surface: '#fffdff', text: '#221829' },
      dark: { primary: '#9d55c4', accent: '#55c3b0', background: '#150f19', surface: '#1e1724', text: '#efe8f3' },
    },
  },
  Ember: {
    colors: {
      // Crimson instead of red, which is too similar to the orange of buttons and links.
      light: {
        primary: '#b04c08',
        accent: '#6d8f2a',
        error: '#b8125c',
        background: '#f8f3ee',
        surface: '#fffdfa',
        text: '#251a12',
      },
      dark: {
        primary: '#b95508',
        accent: '#a8cc5e',
        error: '#f2689c',
        background: '#100f0e',
        surface: '#1b1917',
        text: '#f1ebe4',
      },
    },
  },
}

/** The archives of the themes that come with Innkeeper, by name. */
export const bundledThemes: ReadonlyMap<string, Uint8Array> = new Map(
  Object.entries(themes).map(([name, theme]) => [name, writeTar([jsonFile(theme)])]),
)

function jsonFile(theme: BundledTheme): TarFile {
  return { name: 'theme.json', bytes: new TextEncoder().encode(`${JSON.stringify(theme, undefined, 2)}\n`) }
}
