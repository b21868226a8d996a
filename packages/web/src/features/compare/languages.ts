import { HighlightStyle, LanguageDescription, syntaxHighlighting } from '@codemirror/language'
import { languages } from '@codemirror/language-data'
import type { Extension } from '@codemirror/state'
import { tags } from '@lezer/highlight'

/** Files of game servers that CodeMirror's list of languages lacks, or assigns to an unlikely language. */
const extraLanguages: readonly (readonly [pattern: RegExp, language: string])[] = [
  [/\.(cfg|conf|cnf|lang|env|desktop|service|editorconfig|gitconfig)$|^\.env/i, 'Properties files'],
  [/\.(mcmeta|json5|jsonc|webmanifest)$/i, 'JSON'],
  [/\.(csproj|config|fxml|plist|xaml|resx)$/i, 'XML'],
  [/\.(sqf|hpp)$/i, 'C++'],
  [/^(\.bashrc|\.profile|\.bash_aliases|gradlew)$/i, 'Shell'],
]

/** The language of a file by its name; `undefined` for plain text. Its code is loaded by `load()`. */
export function getLanguage(name: string): LanguageDescription | undefined {
  const [, language] = extraLanguages.find(([pattern]) => pattern.test(name)) ?? []
  if (language !== undefined) return languages.find((candidate) => candidate.name === language)
  return LanguageDescription.matchFilename(languages, name) ?? undefined
}

const yamlValues = syntaxHighlighting(HighlightStyle.define([{ tag: tags.content, color: 'var(--ik-ansi-green)' }]))

/** Additional highlighting of a language: YAML values have the tag `content`, which is plain text in others. */
export function getHighlighting({ name }: LanguageDescription): Extension {
  return name === 'YAML' ? yamlValues : []
}
