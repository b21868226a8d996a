import { type ButtonProps, type CSSVariablesResolver, createTheme, type MantineColorsTuple } from '@mantine/core'

const dark: MantineColorsTuple = [
  '#E8ECF2',
  '#A9B3C1',
  '#8792A2',
  '#6F7C90',
  '#2A3340',
  '#242C38',
  '#1D2430',
  '#161B23',
  '#0F1319',
  '#0B0E13',
]
const gray: MantineColorsTuple = [
  '#F5F6F8',
  '#F0F2F6',
  '#ECEFF3',
  '#DCE1E8',
  '#C3CAD4',
  '#7E8897',
  '#626D7C',
  '#4A5463',
  '#2A3340',
  '#161B23',
]
const primary: MantineColorsTuple = [
  '#EDF2FE',
  '#D6E1FB',
  '#AFC3F0',
  '#8FB2FF',
  '#6C8DE6',
  '#4F77DF',
  '#3F6BDB',
  '#3560CF',
  '#2A54BF',
  '#20429A',
]
const accent: MantineColorsTuple = [
  '#FFF7E8',
  '#FBF1DF',
  '#F9DFB2',
  '#F6CB83',
  '#F2B658',
  '#E9A53A',
  '#C6820F',
  '#A66B0B',
  '#8A5A08',
  '#6B4505',
]
const red: MantineColorsTuple = [
  '#FBE7E6',
  '#F8D0CE',
  '#F2A9A6',
  '#FF7A78',
  '#E85C5A',
  '#D64747',
  '#C93A3A',
  '#C22F2F',
  '#A92727',
  '#8A1F1F',
]

/** Mantine's theme. The tokens it uses are in `tokens.css`. */
export const theme = createTheme({
  colors: { dark, gray, primary, accent, red },
  primaryColor: 'primary',
  primaryShade: { light: 7, dark: 6 },
  autoContrast: true,
  luminanceThreshold: 0.35,
  cursorType: 'pointer',
  respectReducedMotion: true,
  focusRing: 'auto',
  fontFamily: 'var(--ik-font)',
  fontFamilyMonospace: 'var(--ik-mono)',
  fontSizes: {
    '2xs': '0.6875rem',
    xs: '0.75rem',
    compact: '0.8125rem',
    sm: '0.875rem',
    md: '0.875rem',
    lg: '1rem',
    xl: '1.25rem',
    /** Large figures. */
    '2xl': '1.625rem',
  },
  fontWeights: { regular: '400', medium: '500', bold: '600' },
  lineHeights: { xs: '1.33', sm: '1.43', md: '1.43', lg: '1.5', xl: '1.4' },
  defaultRadius: 'md',
  radius: {
    xs: 'var(--ik-radius-tag)',
    sm: 'var(--ik-radius-item)',
    md: 'var(--ik-radius-control)',
    lg: 'var(--ik-radius-card)',
    xl: 'var(--ik-radius-dialog)',
  },
  shadows: {
    xs: 'var(--ik-shadow-1)',
    sm: 'var(--ik-shadow-1)',
    md: 'var(--ik-shadow-2)',
    lg: 'var(--ik-shadow-2)',
    xl: 'var(--ik-shadow-3)',
  },
  /** 4, 8, 12, 16, 20, 24, 32 and 48 pixels; 2 between lines of text that belong together. */
  spacing: {
    '3xs': '0.125rem',
    '2xs': '0.25rem',
    xs: '0.5rem',
    sm: '0.75rem',
    md: '1rem',
    lg: '1.25rem',
    xl: '1.5rem',
    '2xl': '2rem',
    '3xl': '3rem',
  },
  headings: {
    fontFamily: 'var(--ik-font)',
    fontWeight: '600',
    sizes: {
      h1: { fontSize: '1.25rem', lineHeight: '1.75rem' },
      h2: { fontSize: '1rem', lineHeight: '1.5rem' },
      h3: { fontSize: '0.875rem', lineHeight: '1.25rem' },
    },
  },
  components: {
    Alert: { defaultProps: { radius: 'md' } },
    Avatar: { defaultProps: { size: '1.75rem', color: 'primary' } },
    Breadcrumbs: { styles: { root: { flexWrap: 'nowrap' } } },
    Badge: { defaultProps: { variant: 'light', color: 'gray', tt: 'none', fw: 500 } },
    // The error comes before the description, where it is noticed first.
    InputWrapper: { defaultProps: { inputWrapperOrder: ['label', 'input', 'error', 'description'] } },
    NavLink: {
      defaultProps: { variant: 'light' },
      // A description that is not quite opaque is hard to read on the color of the current page.
      styles: { description: { '--description-opacity': '1' } },
    },
    Pagination: { defaultProps: { size: 'sm' } },
    Paper: { defaultProps: { withBorder: true, radius: 'lg' } },
    Table: {
      defaultProps: { verticalSpacing: 'xs', horizontalSpacing: 'sm', highlightOnHoverColor: 'var(--ik-hover)' },
    },
    Button: {
      defaultProps: { size: 'sm' },
      styles: { root: { fontWeight: 500 } },
      // A subtle button is gray, unless it has a color.
      vars: (_: unknown, { variant, color }: ButtonProps) =>
        variant === 'subtle' && color === undefined
          ? { root: { '--button-hover': 'var(--ik-hover)', '--button-color': 'var(--ik-dim)' } }
          : {},
    },
    ActionIcon: { defaultProps: { variant: 'subtle', color: 'gray', size: 32 } },
    Modal: {
      defaultProps: {
        centered: true,
        radius: 'xl',
        shadow: 'xl',
        overlayProps: { color: 'var(--ik-scrim)', backgroundOpacity: 1 },
        transitionProps: { duration: 180, transition: 'fade' },
      },
    },
    // A header element outside of the page's sections would be a second banner.
    ModalHeader: { defaultProps: { component: 'div' } },
    DrawerHeader: { defaultProps: { component: 'div' } },
    Drawer: {
      defaultProps: {
        overlayProps: { color: 'var(--ik-scrim)', backgroundOpacity: 1 },
        transitionProps: { duration: 220 },
      },
    },
    Menu: {
      // The placeholder is a child of the menu that is not a menu item.
      defaultProps: {
        withInitialFocusPlaceholder: false,
        // In a small window the menu scrolls: see the overrides.
        middlewares: { flip: true, shift: true, size: { padding: 8 } },
        shadow: 'md',
        radius: 'md',
        transitionProps: { duration: 120, transition: 'fade' },
      },
    },
    Popover: {
      defaultProps: { shadow: 'md', radius: 'md', transitionProps: { duration: 120, transition: 'fade' } },
    },
    Select: { defaultProps: { size: 'sm', allowDeselect: false, comboboxProps: { shadow: 'md' } } },
    TextInput: { defaultProps: { size: 'sm' } },
    Textarea: { defaultProps: { size: 'sm' } },
    NumberInput: { defaultProps: { size: 'sm' } },
    PasswordInput: { defaultProps: { size: 'sm' } },
    Switch: { defaultProps: { withThumbIndicator: false } },
    Tooltip: { defaultProps: { openDelay: 400, events: { hover: true, focus: true, touch: false } } },
  },
})

/** The shades of gray that Mantine's components use, as tokens: a theme may tint them. */
const grayTokens = Object.fromEntries([
  ...['body', 'hover', 'sunken', 'border', 'border', 'border-strong', 'subtle', 'dim', 'text', 'text'].map(
    (token, shade) => [`--mantine-color-gray-${shade}`, `var(--ik-${token})`],
  ),
  ...['text', 'dim', 'subtle', 'border-strong', 'border', 'unknown-soft', 'raised', 'surface', 'body', 'sunken'].map(
    (token, shade) => [`--mantine-color-dark-${shade}`, `var(--ik-${token})`],
  ),
])

/** Sets Mantine's color variables to our tokens. */
export const cssVariables: CSSVariablesResolver = () => {
  const variables = {
    '--mantine-color-body': 'var(--ik-body)',
    '--mantine-color-text': 'var(--ik-text)',
    '--mantine-color-bright': 'var(--ik-text)',
    '--mantine-color-dimmed': 'var(--ik-dim)',
    '--mantine-color-placeholder': 'var(--ik-subtle)',
    '--mantine-color-default-color': 'var(--ik-text)',
    '--mantine-color-default-border': 'var(--ik-border)',
    '--mantine-color-default-hover': 'var(--ik-hover)',
    '--mantine-color-default': 'var(--ik-raised)',
    '--mantine-color-anchor': 'var(--ik-link)',
    '--mantine-color-error': 'var(--ik-offline)',
    '--mantine-color-gray-light-color': 'var(--ik-dim)',
    '--mantine-color-gray-light-hover': 'var(--ik-hover)',
    '--mantine-color-red-light-color': 'var(--ik-offline)',
    '--mantine-color-red-outline': 'var(--ik-offline)',
    '--mantine-color-primary-light-color': 'var(--ik-link)',
    '--mantine-color-primary-light-hover': 'var(--ik-primary-soft)',
    '--mantine-primary-color-filled-hover': 'var(--ik-primary-hover)',
    '--mantine-color-primary-filled': 'var(--ik-primary)',
    '--mantine-color-primary-filled-hover': 'var(--ik-primary-hover)',
    '--mantine-color-primary-light': 'var(--ik-primary-soft)',
    '--mantine-color-primary-outline': 'var(--ik-link)',
    '--mantine-primary-color-filled': 'var(--ik-primary)',
    '--mantine-primary-color-light': 'var(--ik-primary-soft)',
    '--mantine-color-red-filled': 'var(--ik-danger)',
    '--mantine-color-red-filled-hover': 'var(--ik-danger-hover)',
    ...grayTokens,
  }
  return { variables: {}, light: variables, dark: variables }
}
