/** The one domain under which every label, annotation and field manager of ours lives. */
export const LABEL_DOMAIN = 'hephaisto.io';

/** The product's name as field manager, event reporter and user agent. */
export const PRODUCT = 'hephaisto';
