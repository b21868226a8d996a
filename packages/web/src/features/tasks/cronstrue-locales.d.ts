/** They add themselves to `cronstrue` when they are loaded. */
declare module 'cronstrue/locales/*'
