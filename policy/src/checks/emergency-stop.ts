import { type Check, clear, violated } from '../check.ts';

export const emergencyStop: Check = ({ emergencyStop: stop }) =>
  stop.on ? violated('emergency_stop', stop.why) : clear('nobody has pulled the emergency stop');
