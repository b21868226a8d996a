/** The texts of this locale by file; all of them travel in one chunk. */
export default import.meta.glob<Readonly<Record<string, string>>>('./en_US/*.json', { eager: true, import: 'default' })
