import { LanguageDescription } from '@codemirror/language'
import { languages } from '@codemirror/language-data'

/** Kinds of files that game servers have and the list of languages does not know. */
const others: readonly (readonly [pattern: RegExp, language: string])[] = [
  [/\.(cfg|conf|cnf|lang|env|desktop|service|editorconfig|gitconfig)$|^\.env/i, 'Properties files'],
  [/\.(mcmeta|json5|jsonc|webmanifest|ovpnjson)$/i, 'JSON'],
  [/\.(csproj|config|fxml|plist|xaml|resx)$/i, 'XML'],
  [/\.(sqf|hpp|fxmanifest)$/i, 'C++'],
  [/^(\.bashrc|\.profile|\.bash_aliases|gradlew)$/i, 'Shell'],
]

/** The language of a file by its name; `undefined` for plain text. Each is loaded when it is first needed. */
export function languageOf(name: string): LanguageDescription | undefined {
  const known = LanguageDescription.matchFilename(languages, name)
  if (known) return known
  const [, language] = others.find(([pattern]) => pattern.test(name)) ?? []
  return languages.find((one) => one.name === language)
}
