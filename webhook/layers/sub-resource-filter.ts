import {allowed} from '../answers.js';
import type {Layer} from '../context.js';

/** On policy paths: a status write changes no policy. */
export const subResourceFilter: Layer = (context, next) =>
  context.request.subResource === '' ? next(context) : allowed;
