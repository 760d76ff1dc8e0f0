"""What right answers of TPC-DS look like: queries 1 to 49, by number."""

from __future__ import annotations

from weigh.workloads.tpcds.schema import schema

SCHEMAS = {
    1: schema("c_customer_id:string", order=(0,), limit=100),
    2: schema(
        "d_week_seq1:integer, r1:quotient, r2:quotient, r3:quotient, r4:quotient, r5:quotient, r6:quotient, "
        "column_8:quotient",
        order=(0,),
    ),
    3: schema(
        "d_year:integer, brand_id:integer, brand:string, sum_agg:decimal", order=(0, 3, 1), keys=(0, 2, 1), limit=100
    ),
    4: schema(
        "customer_id:string, customer_first_name:string, customer_last_name:string, "
        "customer_preferred_cust_flag:string",
        order=(0, 1, 2, 3),
        limit=100,
    ),
    5: schema("channel:string, id:string, sales:decimal, returns_:decimal, profit:decimal", order=(0, 1), limit=100),
    6: schema("state:string, cnt:integer", order=(1, 0), keys=(0,), limit=100),
    7: schema(
        "i_item_id:string, agg1:quotient, agg2:quotient, agg3:quotient, agg4:quotient", order=(0,), keys=(0,), limit=100
    ),
    8: schema("s_store_name:string, column_2:decimal", order=(0,), keys=(0,), limit=100),
    9: schema("bucket1:quotient, bucket2:quotient, bucket3:quotient, bucket4:quotient, bucket5:quotient"),
    10: schema(
        "cd_gender:string, cd_marital_status:string, cd_education_status:string, cnt1:integer, "
        "cd_purchase_estimate:integer, cnt2:integer, cd_credit_rating:string, cnt3:integer, "
        "cd_dep_count:integer, cnt4:integer, cd_dep_employed_count:integer, cnt5:integer, "
        "cd_dep_college_count:integer, cnt6:integer",
        order=(0, 1, 2, 4, 6, 8, 10, 12),
        keys=(0, 1, 2, 4, 6, 8, 10, 12),
        limit=100,
    ),
    11: schema(
        "customer_id:string, customer_first_name:string, customer_last_name:string, "
        "customer_preferred_cust_flag:string",
        order=(0, 1, 2, 3),
        limit=100,
    ),
    12: schema(
        "i_item_id:string, i_item_desc:string, i_category:string, i_class:string, i_current_price:decimal, "
        "itemrevenue:decimal, revenueratio:quotient",
        order=(2, 3, 0, 1, 6),
        keys=(0, 1, 2, 3, 4),
        limit=100,
    ),
    13: schema("avg1:quotient, avg2:quotient, avg3:quotient, column_4:decimal"),
    14: schema(
        "channel:string, i_brand_id:integer, i_class_id:integer, i_category_id:integer, sum_sales:decimal, "
        "sum_number_sales:integer",
        order=(0, 1, 2, 3),
        limit=100,
    ),
    15: schema("ca_zip:string, column_2:decimal", order=(0,), keys=(0,), limit=100),
    16: schema("order count:integer, total shipping cost:decimal, total net profit:decimal", order=(0,), limit=100),
    17: schema(
        "i_item_id:string, i_item_desc:string, s_state:string, store_sales_quantitycount:integer, "
        "store_sales_quantityave:quotient, store_sales_quantitystdev:quotient, "
        "store_sales_quantitycov:quotient, store_returns_quantitycount:integer, "
        "store_returns_quantityave:quotient, store_returns_quantitystdev:quotient, "
        "store_returns_quantitycov:quotient, catalog_sales_quantitycount:integer, "
        "catalog_sales_quantityave:quotient, catalog_sales_quantitystdev:quotient, "
        "catalog_sales_quantitycov:quotient",
        order=(0, 1, 2),
        keys=(0, 1, 2),
        limit=100,
    ),
    18: schema(
        "i_item_id:string, ca_country:string, ca_state:string, ca_county:string, agg1:quotient, "
        "agg2:quotient, agg3:quotient, agg4:quotient, agg5:quotient, agg6:quotient, agg7:quotient",
        order=(1, 2, 3, 0),
        limit=100,
    ),
    19: schema(
        "brand_id:integer, brand:string, i_manufact_id:integer, i_manufact:string, ext_price:decimal",
        order=(4, 1, 0, 2, 3),
        keys=(1, 0, 2, 3),
        limit=100,
    ),
    20: schema(
        "i_item_id:string, i_item_desc:string, i_category:string, i_class:string, i_current_price:decimal, "
        "itemrevenue:decimal, revenueratio:quotient",
        order=(2, 3, 0, 1, 6),
        keys=(0, 1, 2, 3, 4),
        limit=100,
    ),
    21: schema(
        "w_warehouse_name:string, i_item_id:string, inv_before:integer, inv_after:integer", order=(0, 1), limit=100
    ),
    22: schema(
        "i_product_name:string, i_brand:string, i_class:string, i_category:string, qoh:quotient",
        order=(4, 0, 1, 2, 3),
        limit=100,
    ),
    23: schema("c_last_name:string, c_first_name:string, sales:decimal", order=(0, 1, 2), limit=100),
    24: schema(
        "c_last_name:string, c_first_name:string, s_store_name:string, paid:decimal", order=(0, 1, 2), keys=(0, 1, 2)
    ),
    25: schema(
        "i_item_id:string, i_item_desc:string, s_store_id:string, s_store_name:string, "
        "store_sales_profit:decimal, store_returns_loss:decimal, catalog_sales_profit:decimal",
        order=(0, 1, 2, 3),
        keys=(0, 1, 2, 3),
        limit=100,
    ),
    26: schema(
        "i_item_id:string, agg1:quotient, agg2:quotient, agg3:quotient, agg4:quotient", order=(0,), keys=(0,), limit=100
    ),
    27: schema(
        "i_item_id:string, s_state:string, g_state:integer, agg1:quotient, agg2:quotient, agg3:quotient, agg4:quotient",
        order=(0, 1),
        limit=100,
    ),
    28: schema(
        "B1_LP:quotient, B1_CNT:integer, B1_CNTD:integer, B2_LP:quotient, B2_CNT:integer, B2_CNTD:integer, "
        "B3_LP:quotient, B3_CNT:integer, B3_CNTD:integer, B4_LP:quotient, B4_CNT:integer, B4_CNTD:integer, "
        "B5_LP:quotient, B5_CNT:integer, B5_CNTD:integer, B6_LP:quotient, B6_CNT:integer, B6_CNTD:integer",
        limit=100,
    ),
    29: schema(
        "i_item_id:string, i_item_desc:string, s_store_id:string, s_store_name:string, "
        "store_sales_quantity:integer, store_returns_quantity:integer, catalog_sales_quantity:integer",
        order=(0, 1, 2, 3),
        keys=(0, 1, 2, 3),
        limit=100,
    ),
    30: schema(
        "c_customer_id:string, c_salutation:string, c_first_name:string, c_last_name:string, "
        "c_preferred_cust_flag:string, c_birth_day:integer, c_birth_month:integer, c_birth_year:integer, "
        "c_birth_country:string, c_login:string, c_email_address:string, c_last_review_date_sk:integer, "
        "ctr_total_return:decimal",
        order=(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12),
        limit=100,
    ),
    31: schema(
        "ca_county:string, d_year:integer, web_q1_q2_increase:quotient, store_q1_q2_increase:quotient, "
        "web_q2_q3_increase:quotient, store_q2_q3_increase:quotient",
        order=(0,),
    ),
    32: schema("excess discount amount:decimal", limit=100),
    33: schema("i_manufact_id:integer, total_sales:decimal", order=(1,), keys=(0,), limit=100),
    34: schema(
        "c_last_name:string, c_first_name:string, c_salutation:string, c_preferred_cust_flag:string, "
        "ss_ticket_number:integer, cnt:integer",
        order=(0, 1, 2, 3, 4),
    ),
    35: schema(
        "ca_state:string, cd_gender:string, cd_marital_status:string, cd_dep_count:integer, cnt1:integer, "
        "min1:integer, max1:integer, avg1:quotient, cd_dep_employed_count:integer, cnt2:integer, "
        "min2:integer, max2:integer, avg2:quotient, cd_dep_college_count:integer, cnt3:integer, "
        "column_16:integer, column_17:integer, column_18:quotient",
        order=(0, 1, 2, 3, 8, 13),
        keys=(0, 1, 2, 3, 8, 13),
        limit=100,
    ),
    36: schema(
        "gross_margin:quotient, i_category:string, i_class:string, lochierarchy:integer, rank_within_parent:integer",
        order=(3,),
        limit=100,
    ),
    37: schema("i_item_id:string, i_item_desc:string, i_current_price:decimal", order=(0,), keys=(0, 1, 2), limit=100),
    38: schema("column_1:integer", limit=100),
    39: schema(
        "wsk1:integer, isk1:integer, dmoy1:integer, mean1:quotient, cov1:quotient, w_warehouse_sk:integer, "
        "i_item_sk:integer, d_moy:integer, mean:quotient, cov:quotient",
        order=(0, 1, 2, 3, 4, 7, 8, 9),
    ),
    40: schema(
        "w_state:string, i_item_id:string, sales_before:decimal, sales_after:decimal",
        order=(0, 1),
        keys=(0, 1),
        limit=100,
    ),
    41: schema("i_product_name:string", limit=100),
    42: schema(
        "d_year:integer, i_category_id:integer, i_category:string, column_4:decimal",
        order=(3, 0, 1, 2),
        keys=(0, 1, 2),
        limit=100,
    ),
    43: schema(
        "s_store_name:string, s_store_id:string, sun_sales:decimal, mon_sales:decimal, tue_sales:decimal, "
        "wed_sales:decimal, thu_sales:decimal, fri_sales:decimal, sat_sales:decimal",
        order=(0, 1, 2, 3, 4, 5, 6, 7, 8),
        keys=(0, 1),
        limit=100,
    ),
    44: schema("rnk:integer, best_performing:string, worst_performing:string", order=(0,), limit=100),
    45: schema("ca_zip:string, ca_city:string, column_3:decimal", order=(0, 1), keys=(0, 1), limit=100),
    46: schema(
        "c_last_name:string, c_first_name:string, ca_city:string, bought_city:string, "
        "ss_ticket_number:integer, amt:decimal, profit:decimal",
        order=(0, 1, 2, 3, 4),
        limit=100,
    ),
    47: schema(
        "i_category:string, i_brand:string, s_store_name:string, s_company_name:string, d_year:integer, "
        "d_moy:integer, avg_monthly_sales:quotient, sum_sales:decimal, psum:decimal, nsum:decimal",
        limit=100,
    ),
    48: schema("column_1:integer"),
    49: schema(
        "channel:string, item:integer, return_ratio:quotient, return_rank:integer, currency_rank:integer",
        order=(0, 3, 4, 1),
        limit=100,
    ),
}
