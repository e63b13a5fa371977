// The person's knowledge of the website: the latest reading of each instrument, and when it was `read`.

export function foldMonitor(calls, state) {
  const view = {
    now: state.now, services: { pages: [], servers: [] }, summary: { window: "24h", pages: [] },
    health: { readings: [], maintenance: {} }, alerts: { alerts: [] }, times: new Map(), logs: new Map(),
  };
  const readings = new Map();
  for (const { tool, data, until } of calls) {
    if (tool === "monitor_list_services") { view.services = data; view.health.maintenance = data.maintenance; }
    else if (tool === "monitor_get_summary") view.summary = { ...data, read: until };
    else if (tool === "monitor_list_alerts") view.alerts = { ...data, read: until };
    else if (tool === "monitor_get_load_times") view.times.set(data.page, { ...data, read: until });
    else if (tool === "monitor_read_logs") view.logs.set(data.server, { ...data, read: until });
    else if (tool === "monitor_start_maintenance" && data.entered) view.health.maintenance = { ...view.health.maintenance, [data.server]: until };
    else if (tool === "monitor_check_health") {
      const own = new Set();
      for (const reading of data.readings) if (!own.has(reading.server)) { own.add(reading.server); readings.set(reading.server, { ...reading, read: until }); }
      view.health.maintenance = data.maintenance;
    }
  }
  view.health.readings = [...readings.values()];
  return view;
}
