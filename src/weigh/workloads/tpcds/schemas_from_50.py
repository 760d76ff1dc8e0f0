"""What right answers of TPC-DS look like: queries 50 to 99, by number."""

from __future__ import annotations

from weigh.workloads.tpcds.schema import schema

SCHEMAS = {
    50: schema(
        "s_store_name:string, s_company_id:integer, s_street_number:string, s_street_name:string, "
        "s_street_type:string, s_suite_number:string, s_city:string, s_county:string, s_state:string, "
        "s_zip:string, 30 days:integer, 31-60 days:integer, 61-90 days:integer, 91-120 days:integer, >120 "
        "days:integer",
        order=(0, 1, 2, 3, 4, 5, 6, 7, 8, 9),
        keys=(0, 1, 2, 3, 4, 5, 6, 7, 8, 9),
        limit=100,
    ),
    51: schema(
        "item_sk:integer, d_date:date, web_sales:decimal, store_sales:decimal, web_cumulative:decimal, "
        "store_cumulative:decimal",
        order=(0, 1),
        limit=100,
    ),
    52: schema(
        "d_year:integer, brand_id:integer, brand:string, ext_price:decimal", order=(0, 3, 1), keys=(0, 2, 1), limit=100
    ),
    53: schema("i_manufact_id:integer, sum_sales:decimal, avg_quarterly_sales:quotient", order=(2, 1, 0), limit=100),
    54: schema("SEGMENT:integer, num_customers:integer, segment_base:integer", order=(0, 1, 2), keys=(0,), limit=100),
    55: schema("brand_id:integer, brand:string, ext_price:decimal", order=(2, 0), keys=(1, 0), limit=100),
    56: schema("i_item_id:string, total_sales:decimal", order=(1, 0), keys=(0,), limit=100),
    57: schema(
        "i_category:string, i_brand:string, cc_name:string, d_year:integer, d_moy:integer, "
        "avg_monthly_sales:quotient, sum_sales:decimal, psum:decimal, nsum:decimal",
        limit=100,
    ),
    58: schema(
        "item_id:string, ss_item_rev:decimal, ss_dev:quotient*100, cs_item_rev:decimal, cs_dev:quotient*100, "
        "ws_item_rev:decimal, ws_dev:quotient*100, average:quotient",
        order=(0, 1),
        limit=100,
    ),
    59: schema(
        "s_store_name1:string, s_store_id1:string, d_week_seq1:integer, sun_sales_ratio:quotient, "
        "mon_sales_ratio:quotient, tue_sales_ratio:quotient, wed_sales_ratio:quotient, "
        "thu_sales_ratio:quotient, fri_sales_ratio:quotient, sat_sales_ratio:quotient",
        order=(0, 1, 2),
        limit=100,
    ),
    60: schema("i_item_id:string, total_sales:decimal", order=(0, 1), keys=(0,), limit=100),
    61: schema("promotions:decimal, total:decimal, column_3:quotient*100", order=(0, 1), limit=100),
    62: schema(
        "w_substr:string, sm_type:string, web_name:string, 30 days:integer, 31-60 days:integer, 61-90 "
        "days:integer, 91-120 days:integer, >120 days:integer",
        order=(0, 1, 2),
        keys=(0, 1, 2),
        limit=100,
    ),
    63: schema("i_manager_id:integer, sum_sales:decimal, avg_monthly_sales:quotient", order=(0, 2, 1), limit=100),
    64: schema(
        "product_name:string, store_name:string, store_zip:string, b_street_number:string, "
        "b_street_name:string, b_city:string, b_zip:string, c_street_number:string, c_street_name:string, "
        "c_city:string, c_zip:string, cs1syear:integer, cs1cnt:integer, s11:decimal, s21:decimal, "
        "s31:decimal, s12:decimal, s22:decimal, s32:decimal, syear:integer, cnt:integer",
        order=(0, 1, 20, 13, 16),
    ),
    65: schema(
        "s_store_name:string, i_item_desc:string, revenue:decimal, i_current_price:decimal, "
        "i_wholesale_cost:decimal, i_brand:string",
        order=(0, 1),
        limit=100,
    ),
    66: schema(
        "w_warehouse_name:string, w_warehouse_sq_ft:integer, w_city:string, w_county:string, w_state:string, "
        "w_country:string, ship_carriers:string, year_:integer, jan_sales:decimal, feb_sales:decimal, "
        "mar_sales:decimal, apr_sales:decimal, may_sales:decimal, jun_sales:decimal, jul_sales:decimal, "
        "aug_sales:decimal, sep_sales:decimal, oct_sales:decimal, nov_sales:decimal, dec_sales:decimal, "
        "jan_sales_per_sq_foot:quotient*2, feb_sales_per_sq_foot:quotient*2, mar_sales_per_sq_foot:quotient*2, "
        "apr_sales_per_sq_foot:quotient*2, may_sales_per_sq_foot:quotient*2, jun_sales_per_sq_foot:quotient*2, "
        "jul_sales_per_sq_foot:quotient*2, aug_sales_per_sq_foot:quotient*2, sep_sales_per_sq_foot:quotient*2, "
        "oct_sales_per_sq_foot:quotient*2, nov_sales_per_sq_foot:quotient*2, dec_sales_per_sq_foot:quotient*2, "
        "jan_net:decimal, feb_net:decimal, mar_net:decimal, apr_net:decimal, may_net:decimal, "
        "jun_net:decimal, jul_net:decimal, aug_net:decimal, sep_net:decimal, oct_net:decimal, "
        "nov_net:decimal, dec_net:decimal",
        order=(0,),
        keys=(0, 1, 2, 3, 4, 5, 6, 7),
        limit=100,
    ),
    67: schema(
        "i_category:string, i_class:string, i_brand:string, i_product_name:string, d_year:integer, "
        "d_qoy:integer, d_moy:integer, s_store_id:string, sumsales:decimal, rk:integer",
        limit=100,
    ),
    68: schema(
        "c_last_name:string, c_first_name:string, ca_city:string, bought_city:string, "
        "ss_ticket_number:integer, extended_price:decimal, extended_tax:decimal, list_price:decimal",
        order=(0, 4),
        limit=100,
    ),
    69: schema(
        "cd_gender:string, cd_marital_status:string, cd_education_status:string, cnt1:integer, "
        "cd_purchase_estimate:integer, cnt2:integer, cd_credit_rating:string, cnt3:integer",
        order=(0, 1, 2, 4, 6),
        keys=(0, 1, 2, 4, 6),
        limit=100,
    ),
    70: schema(
        "total_sum:decimal, s_state:string, s_county:string, lochierarchy:integer, rank_within_parent:integer",
        order=(3,),
        limit=100,
    ),
    71: schema(
        "brand_id:integer, brand:string, t_hour:integer, t_minute:integer, ext_price:decimal",
        order=(4, 0, 2),
        keys=(1, 0, 2, 3),
    ),
    72: schema(
        "i_item_desc:string, w_warehouse_name:string, d_week_seq:integer, no_promo:integer, promo:integer, "
        "total_cnt:integer",
        order=(5, 0, 1, 2),
        keys=(0, 1, 2),
        limit=100,
    ),
    73: schema(
        "c_last_name:string, c_first_name:string, c_salutation:string, c_preferred_cust_flag:string, "
        "ss_ticket_number:integer, cnt:integer",
        order=(5, 0),
    ),
    74: schema("customer_id:string, customer_first_name:string, customer_last_name:string", order=(0,), limit=100),
    75: schema(
        "prev_year:integer, year_:integer, i_brand_id:integer, i_class_id:integer, i_category_id:integer, "
        "i_manufact_id:integer, prev_yr_cnt:integer, curr_yr_cnt:integer, sales_cnt_diff:integer, "
        "sales_amt_diff:decimal",
        order=(8, 9),
        limit=100,
    ),
    76: schema(
        "channel:string, col_name:string, d_year:integer, d_qoy:integer, i_category:string, "
        "sales_cnt:integer, sales_amt:decimal",
        order=(0, 1, 2, 3, 4),
        keys=(0, 1, 2, 3, 4),
        limit=100,
    ),
    77: schema(
        "channel:string, id:integer, sales:decimal, returns_:decimal, profit:decimal", order=(0, 1, 3), limit=100
    ),
    78: schema(
        "ss_sold_year:integer, ss_item_sk:integer, ss_customer_sk:integer, ratio:quotient, store_qty:integer,"
        " store_wholesale_cost:decimal, store_sales_price:decimal, other_chan_qty:integer, "
        "other_chan_wholesale_cost:decimal, other_chan_sales_price:decimal",
        order=(0, 1, 2, 4, 5, 6, 7, 8, 9, 3),
        limit=100,
    ),
    79: schema(
        "c_last_name:string, c_first_name:string, column_3:string, ss_ticket_number:integer, amt:decimal, "
        "profit:decimal",
        order=(0, 1, 2, 5, 3),
        limit=100,
    ),
    80: schema("channel:string, id:string, sales:decimal, returns_:decimal, profit:decimal", order=(0, 1), limit=100),
    81: schema(
        "c_customer_id:string, c_salutation:string, c_first_name:string, c_last_name:string, "
        "ca_street_number:string, ca_street_name:string, ca_street_type:string, ca_suite_number:string, "
        "ca_city:string, ca_county:string, ca_state:string, ca_zip:string, ca_country:string, "
        "ca_gmt_offset:decimal, ca_location_type:string, ctr_total_return:decimal",
        order=(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15),
        limit=100,
    ),
    82: schema("i_item_id:string, i_item_desc:string, i_current_price:decimal", order=(0,), keys=(0, 1, 2), limit=100),
    83: schema(
        "item_id:string, sr_item_qty:integer, sr_dev:quotient*100, cr_item_qty:integer, cr_dev:quotient*100, "
        "wr_item_qty:integer, wr_dev:quotient*100, average:quotient",
        order=(0, 1),
        limit=100,
    ),
    84: schema("customer_id:string, customername:string", order=(0,), limit=100),
    85: schema("column_1:string, avg1:quotient, avg2:quotient, column_4:quotient", order=(0, 1, 2, 3), limit=100),
    86: schema(
        "total_sum:decimal, i_category:string, i_class:string, lochierarchy:integer, rank_within_parent:integer",
        order=(3,),
        limit=100,
    ),
    87: schema("column_1:integer"),
    88: schema(
        "h8_30_to_9:integer, h9_to_9_30:integer, h9_30_to_10:integer, h10_to_10_30:integer, "
        "h10_30_to_11:integer, h11_to_11_30:integer, h11_30_to_12:integer, h12_to_12_30:integer"
    ),
    89: schema(
        "i_category:string, i_class:string, i_brand:string, s_store_name:string, s_company_name:string, "
        "d_moy:integer, sum_sales:decimal, avg_monthly_sales:quotient",
        limit=100,
    ),
    90: schema("am_pm_ratio:quotient", order=(0,), limit=100),
    91: schema("Call_Center:string, Call_Center_Name:string, Manager:string, Returns_Loss:decimal", order=(3,)),
    92: schema("Excess Discount Amount:decimal", order=(0,), limit=100),
    93: schema("ss_customer_sk:integer, sumsales:decimal", order=(1, 0), keys=(0,), limit=100),
    94: schema("order count:integer, total shipping cost:decimal, total net profit:decimal", order=(0,), limit=100),
    95: schema("order count:integer, total shipping cost:decimal, total net profit:decimal", order=(0,), limit=100),
    96: schema("column_1:integer", order=(0,), limit=100),
    97: schema("store_only:integer, catalog_only:integer, store_and_catalog:integer", limit=100),
    98: schema(
        "i_item_id:string, i_item_desc:string, i_category:string, i_class:string, i_current_price:decimal, "
        "itemrevenue:decimal, revenueratio:quotient",
        order=(2, 3, 0, 1, 6),
        keys=(0, 1, 2, 3, 4),
    ),
    99: schema(
        "w_substr:string, sm_type:string, cc_name_lower:string, 30 days:integer, 31-60 days:integer, 61-90 "
        "days:integer, 91-120 days:integer, >120 days:integer",
        order=(0, 1, 2),
        limit=100,
    ),
}
