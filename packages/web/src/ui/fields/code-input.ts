import classes from './code-input.module.css'

/** Props of an input for names, paths, commands and expressions: monospaced, left to right, without text assistance. */
export const codeInputProps = {
  dir: 'ltr' as const,
  spellCheck: false,
  autoComplete: 'off',
  autoCapitalize: 'none',
  classNames: { input: classes.input },
}
