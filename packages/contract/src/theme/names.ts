/** The theme that is part of the web app. Its archive changes no colors. */
export const builtInTheme = 'Innkeeper'
